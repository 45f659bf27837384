# Flask on Python 3.13 with pip, written by Berth.
FROM python:3.13-slim AS build
WORKDIR /app
ENV VIRTUAL_ENV=/opt/venv PATH=/opt/venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
COPY . .
RUN --mount=type=cache,target=/root/.cache/pip pip install .
RUN --mount=type=cache,target=/root/.cache/pip pip install gunicorn

FROM python:3.13-slim
RUN useradd --system --create-home --uid 10001 app
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app
RUN chown app:app /app
COPY --from=build /opt/venv /opt/venv
COPY --from=build --chown=app:app /app /app
USER app
EXPOSE 8000
CMD ["sh", "-c", "exec gunicorn 'flaskr:create_app()' --bind 0.0.0.0:${PORT:-8000}"]
