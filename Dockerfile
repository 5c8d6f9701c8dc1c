# The server and the worker in one image: `serve` unless told otherwise, as a user without rights, logging for machines.
FROM python:3.11-slim-bookworm AS build
WORKDIR /build
RUN python -m venv /opt/haulier
COPY requirements.txt ./
RUN /opt/haulier/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement requirements.txt
COPY requirements-docs.txt ./
RUN python -m venv /opt/docs && /opt/docs/bin/pip install --no-cache-dir --no-deps --require-hashes --requirement requirements-docs.txt
COPY pyproject.toml hatch_build.py mkdocs.yml README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md LICENSE ./
COPY docs ./docs
COPY scripts/docs_site ./scripts/docs_site
RUN NO_MKDOCS_2_WARNING=1 /opt/docs/bin/mkdocs build --strict --quiet
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
