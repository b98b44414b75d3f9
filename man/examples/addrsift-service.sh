#!/bin/sh
# Runs an addrsift command as the user of addrsift.service, in its home and with its environment.
# Use: as root, addrsift-service keys create --name web --scopes emails:detect
# The Debian package installs this as /usr/sbin/addrsift-service. Without it: install -m 755 this file as
# /usr/local/sbin/addrsift-service. Files of other users are not readable there: give their text on standard input.
environment=$(systemctl show --property=Environment --value addrsift.service) || exit
# The last line wins. A credential of the unit is not available here.
exec systemd-run --quiet --wait --pipe --collect \
  -p DynamicUser=yes -p User=addrsift -p UMask=0077 -p StateDirectory=addrsift -p StateDirectoryMode=0700 \
  -p "Environment=$environment" \
  -E ADDRSIFT_HOME=/var/lib/addrsift -E ADDRSIFT_SMTP_URL_FILE= \
  /usr/bin/env addrsift "$@"
