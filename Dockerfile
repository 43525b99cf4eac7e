# One image for every process of the site; docker-compose.yml sets the command of each.
FROM python:3.12-slim AS packages
WORKDIR /app
COPY requirements/solver.txt requirements/
RUN python -m venv /app/.venv \
 && /app/.venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements/solver.txt

FROM python:3.12-slim
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 VAR_DIR=/var/lib/talon COLLECTED_STATIC=1
RUN useradd --system --home-dir /var/lib/talon --create-home talon
WORKDIR /app
COPY --from=packages /app/.venv .venv
COPY manage.py ./
COPY config config
COPY accounts accounts
COPY games games
COPY leaderboards leaderboards
COPY frontend frontend
USER talon
# Delete the key generated for this command only: production takes SECRET_KEY from the environment.
RUN python manage.py collectstatic --noinput --verbosity 0 && rm /var/lib/talon/secret_key
EXPOSE 8000
CMD ["python", "-m", "config.processes.server"]
