# An image that runs `addrsift serve`. The volume /var/lib/addrsift has API keys, channels and updated lists.
# Use: docker build --tag addrsift . &&
#   docker run --detach --name addrsift --stop-timeout 30 --publish 127.0.0.1:8025:8025 \
#     --volume addrsift:/var/lib/addrsift --env ADDRSIFT_UPDATE_LISTS=24h addrsift
# Without ADDRSIFT_UPDATE_LISTS, the lists stay those of the image. Other options have variables too, such as
# ADDRSIFT_RATE_LIMIT: see ENVIRONMENT in addrsift-serve(1).
# The daemon finishes running requests for up to 20 s. In Compose, set stop_grace_period: 30s.
# To create an API key: docker exec addrsift addrsift keys create --name web --scopes emails:detect

FROM node:22-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && npm run build && npm run pack:npm

FROM node:22-slim
COPY --from=build /src/addrsift-*.tgz /tmp/addrsift.tgz
# The package pg is for ADDRSIFT_STORE, a store in PostgreSQL.
RUN npm install --global --omit=dev /tmp/addrsift.tgz pg@8.23.1 && rm /tmp/addrsift.tgz \
    && install -d -m 0700 -o node -g node /var/lib/addrsift
USER node
ENV ADDRSIFT_HOME=/var/lib/addrsift
VOLUME /var/lib/addrsift
EXPOSE 8025
STOPSIGNAL SIGTERM
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:8025/readyz').then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# With --port, the daemon ignores the ADDRSIFT_PORT that Kubernetes sets for a service called addrsift.
CMD ["addrsift", "serve", "--host", "0.0.0.0", "--port", "8025"]
