/** Catalogues of templates written in the formats of other platforms: path → text. */
const picture = '<?xml version="1.0"?><!-- a --><svg viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>';

export const dokploy = {
  'blueprints/shop/meta.json': JSON.stringify({
    id: 'shop',
    name: 'Shop',
    version: '1.2',
    description: 'Sells things.',
    logo: 'shop.svg',
    links: {
      github: 'https://git.example.com/shop',
      website: 'https://shop.example.com',
      docs: 'https://docs.example.com',
    },
    tags: ['e-commerce', 'Self Hosted'],
    dokploy_version: '>=0.22.5',
  }),
  'blueprints/shop/shop.svg': picture,
  'blueprints/shop/docker-compose.yml': `version: "3.8"
services:
  app:
    image: shop:\${TAG:-1.2}
    environment:
      URL: \${BASE_URL}
      TOKEN: \${TOKEN}
    ports: [8080, "9000:9000"]
    volumes: ["../files/etc/shop.conf:/etc/shop.conf", "data:/data"]
  api: { image: "api:1.0", environment: { DB: "\${DATABASE_URL}" } }
volumes: { data: }
`,
  'blueprints/shop/template.toml': `
[variables]
main_domain = "\${domain}"
db_password = "\${password:20}"
key = "\${base64:32}"
digest = "\${hash:12}"
id = "\${uuid}"
user = "\${username}"
mail = "\${email}"
old = "\${jwt:16}"
secret = "\${password}"
payload = """{ "role": "anon", "exp": \${timestamps:2030-01-01T00:00:00Z} }"""
made = "\${timestampms}"
port = "\${randomPort}"

[config]
isolated = true
[[config.domains]]
serviceName = "app"
port = 8_080
host = "\${main_domain}"
[[config.domains]]
serviceName = "api"
port = 9000
host = "api.\${main_domain}"
path = "/v1"
extra = 1
[[config.domains]]
serviceName = "app"

[config.env]
BASE_URL = "http://\${main_domain}"
DATABASE_URL = "postgres://\${user}:\${db_password}@db/\${password:8}"
TOKEN = "\${jwt:secret:payload}"
id = "\${id}"
UNKNOWN = "\${nothing}"
"not a name" = "1"

[[config.mounts]]
filePath = "/etc/shop.conf"
content = """
key \${key} host \${main_domain} keep $host
"""
[[config.mounts]]
filePath = "empty"
content = ""
[other]
a = 1
`,
  'blueprints/list/docker-compose.yml':
    'services:\n  app:\n    image: list:1.0\n    environment:\n      A: ${A}\n',
  'blueprints/list/template.toml': '[config]\nenv = ["# a comment", "A=\\"b c\\""]\n',
  'blueprints/broken/docker-compose.yml': 'services:\n  app:\n    build: .\n',
  'blueprints/broken/template.toml': '[config]\n',
};

export const coolify = {
  'templates/compose/notes.yaml': `# documentation: https://notes.example.com
# slogan: "Notes of a team."
# category: productivity
# tags: notes, team
# logo: svgs/notes.svg
# port: 3000
# ignore: true
# minversion: 4.0.0

services:
  notes:
    image: "notes:1.0"
    exclude_from_hc: true
    environment:
      - SERVICE_URL_NOTES_3000
      - URL=\${SERVICE_URL_NOTES}
      - HOST=$SERVICE_FQDN_NOTES
      - DB=postgres://\${SERVICE_USER_DB}:\${SERVICE_PASSWORD_DB}@db/\${DB_NAME:-notes}
      - LONG=\${SERVICE_PASSWORD_64_LONG}
      - RANDOM=\${SERVICE_BASE64_64_X}
      - KEY=\${SERVICE_REALBASE64_32_X}
      - HEX=\${SERVICE_HEX_64_X}
      - ANON=\${SERVICE_SUPABASEANON_KEY}
      - LICENCE=\${LICENCE:?}
      - ELSEWHERE=\${SERVICE_URL_OTHERS}
    volumes:
      - notes-data:/data
      - type: bind
        source: ./notes.conf
        target: /etc/notes.conf
        content: |
          host $host
      - type: bind
        source: ./uploads
        target: /uploads
        is_directory: true
  api:
    image: notes-api:1.0
    environment:
      SERVICE_FQDN_API: /v1
      MODE: plain
`,
};

export const caprover = {
  'public/v4/apps/wiki.yml': `captainVersion: 4
services:
  $$cap_appname-db:
    image: postgres:$$cap_db_version
    environment: { POSTGRES_PASSWORD: $$cap_db_pass, PRICE: 5$ }
    volumes: ["$$cap_appname-db-data:/var/lib/postgresql/data"]
    caproverExtra: { notExposeAsWebApp: "true" }
  $$cap_appname:
    environment:
      URL: https://$$cap_appname.$$cap_root_domain/
      API: $$cap_appname-api.$$cap_root_domain
      DB: postgres://u:$$cap_db_pass@srv-captain--$$cap_appname-db:5432/wiki
      SALT: $$cap_gen_random_hex(10)
    documentation: a note
    caproverExtra:
      containerHttpPort: "3000"
      websocketSupport: "true"
      dockerfileLines: ["FROM wiki:$$cap_version"]
      other: 1
  $$cap_appname-api:
    image: wiki-api:1.0
caproverOneClickApp:
  variables:
    - id: $$cap_version
      label: Version
      defaultValue: "2.5"
      description: See the tags
      validRegex: "/^([^\\\\s^\\\\/])+$/"
    - { id: $$cap_db_version, label: Version of the database, defaultValue: "17.9" }
    - { id: $$cap_db_pass, label: Password, defaultValue: $$cap_gen_random_hex(16), validRegex: "/.{1,}/" }
    - { id: $$cap_email, label: Email, validRegex: "/.+@.+/" }
    - { id: $$cap_flagged, label: Flagged, validRegex: "/a/i", more: 1 }
  instructions:
    start: Wikis for teams.
    end: Open http://$$cap_appname.$$cap_root_domain and sign in.
  displayName: Wiki
  isOfficial: true
  description: Pages of a team.
  documentation: Taken from https://wiki.example.com
  future: 1
`,
  'public/v4/apps/built.yml': `captainVersion: 4
services:
  $$cap_appname:
    caproverExtra: { dockerfileLines: ["FROM a:1.0", "RUN b"] }
caproverOneClickApp: { displayName: Built }
`,
};
