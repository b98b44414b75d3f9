"""Tests the script of `addrsift engines show parallel`, on this machine and over two ssh servers on it: with addrsift killed, and with a
server and its child processes killed."""

import os
import socket
import subprocess
import time

from rows import FOLDER, fails, holds, killed_always, killed_once, odd_rows, recipe, save, timed

# An address with a line break would be two rows.
addresses = save("addresses.txt", "".join(f"{email or ''}\n" for _, email in odd_rows(without="\n")))
folder = os.path.dirname(addresses)
# Smaller blocks, so that there are several parts.
script = save("parallel.sh", recipe("parallel.sh").replace("64M", str(os.path.getsize(addresses) // 8)))
result = os.path.join(folder, "results.ndjson")
key, host_key = os.path.join(folder, "key"), os.path.join(folder, "host_key")
for path in (key, host_key):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
servers = {}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def start_server(name, words=()):
    """Starts an ssh server on which `words` precede each call of addrsift."""
    programs = os.path.join(folder, name)
    os.makedirs(programs, exist_ok=True)
    save(f"{name}/addrsift", f'#!/bin/sh\nexec {" ".join(words)} {FOLDER}/bin/addrsift "$@"\n', 0o755)
    port = free_port()
    settings = [
        f"Port {port}", "ListenAddress 127.0.0.1", f"HostKey {host_key}", "PidFile none", f"AuthorizedKeysFile {key}.pub", "StrictModes no",
        "UsePAM no", "PermitRootLogin yes", "MaxStartups 100", f"SetEnv PATH={programs}:{os.environ['PATH']} ADDRSIFT_HOME={os.environ['ADDRSIFT_HOME']}",
    ]  # fmt: skip
    server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", save(f"{name}.sshd", "\n".join(settings))], stderr=subprocess.DEVNULL)
    servers[name] = (server, port)
    hosts = "".join(f"Host {host}\n  Port {at}\n" for host, (_, at) in servers.items())
    common = f"HostName 127.0.0.1\n  IdentityFile {key}\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null"
    save("ssh_config", f"{hosts}Host *\n  {common}\n  LogLevel ERROR\n")
    for _ in range(100):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"sshd {name} does not start")


def run(hosts=(), words=()):
    """Runs the script as a user does. `words` precede each call of this machine's addrsift."""
    if words:
        save("local/addrsift", f'#!/bin/sh\nexec {" ".join(words)} {FOLDER}/bin/addrsift "$@"\n', 0o755)
    path = f"{folder}/local:{os.environ['PATH']}" if words else os.environ["PATH"]
    environment = {**os.environ, "PATH": path, "PARALLEL_SSH": f"ssh -F {folder}/ssh_config", "PARALLEL_HOME": folder}
    if os.path.exists(result):
        os.remove(result)
    process = subprocess.run(["sh", script, *hosts], cwd=folder, env=environment, text=True, capture_output=True)
    if process.returncode != 0:
        raise RuntimeError(process.stderr)


def expect_equal(description):
    with open(result, "rb") as file:
        holds(f"{description}: {lines} rows equal, byte for byte", file.read() == whole)


def one_process():
    with open(addresses, "rb") as source, open(os.path.join(folder, "whole"), "wb") as target:
        subprocess.run(["addrsift", "detect", "--quiet", "--part"], stdin=source, stdout=target, check=True)


os.makedirs(os.path.join(folder, "local"))
timed("one process", one_process)
with open(os.path.join(folder, "whole"), "rb") as file:
    whole = file.read()
lines = whole.count(b"\n")
timed("parallel", run)
expect_equal("parallel")
words, killed = killed_once("local")
run(words=words)
holds("addrsift was killed", killed())
expect_equal("parallel, addrsift killed once")
fails("parallel: a process that is always killed fails", lambda: run(words=killed_always()))
holds("parallel: a failed run leaves no result", not os.path.exists(result))

# OpenSSH needs this folder, which Debian creates when the service starts.
if os.getuid() == 0:
    os.makedirs("/run/sshd", exist_ok=True)
words, killed = killed_once("sshd", "sshd", 2)
try:
    start_server("w1")
    start_server("w2")
    timed("parallel over two sshd", lambda: run(["w1,w2"]))
    expect_equal("parallel over two sshd")
    start_server("w3", words)
    run(["w1,w3"])
    holds("an sshd was killed", killed() and servers["w3"][0].wait(10) == -9)
    expect_equal("parallel over two sshd, one of them killed")
    fails("parallel over a dead sshd only fails", lambda: run(["w3"]))
    holds("parallel over ssh: a failed run leaves no result", not os.path.exists(result))
finally:
    for server, _ in servers.values():
        server.kill()
