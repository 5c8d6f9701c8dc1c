# The server and the worker in one image: `serve` unless told otherwise, as a user without rights, logging for machines.
FROM python:3.11-slim-bookworm AS build
WORKDIR /build
RUN python -m venv /opt/haulier
COPY requirements.txt ./
RUN /opt/haulier/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY docs/get-started ./docs/get-started
COPY docs/deliver ./docs/deliver
COPY docs/ship ./docs/ship
COPY docs/store ./docs/store
COPY docs/lockers ./docs/lockers
COPY docs/bill ./docs/bill
COPY docs/integrate ./docs/integrate
COPY docs/operate ./docs/operate
COPY src ./src
RUN /opt/haulier/bin/pip install --no-cache-dir --no-deps .

FROM python:3.11-slim-bookworm
RUN install --directory --owner=10001 --group=10001 /srv/haulier
COPY --from=build /opt/haulier /opt/haulier
ENV PATH=/opt/haulier/bin:$PATH \
    HOME=/srv/haulier \
    HAULIER_HOST=0.0.0.0 \
    HAULIER_LOG_FORMAT=json
WORKDIR /srv/haulier
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen(f'http://127.0.0.1:{os.environ.get(\"HAULIER_PORT\", 8000)}/readyz', timeout=5)"]
ENTRYPOINT ["haulier"]
CMD ["serve"]
