# Django on Python 3.12 with pip, written by Berth.
FROM python:3.12-slim AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev libpq-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV VIRTUAL_ENV=/opt/venv PATH=/opt/venv/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
COPY requirements.txt ./
RUN --mount=type=cache,target=/root/.cache/pip pip install -r requirements.txt
COPY . .
ARG DEBUG
RUN python manage.py collectstatic --noinput

FROM python:3.12-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libpq5 \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --create-home --uid 10001 app
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /app
RUN chown app:app /app
COPY --from=build /opt/venv /opt/venv
COPY --from=build --chown=app:app /app /app
USER app
EXPOSE 8000
CMD ["sh", "-c", "exec gunicorn shop.wsgi:application --bind 0.0.0.0:${PORT:-8000}"]
