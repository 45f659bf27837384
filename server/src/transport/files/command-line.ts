/**
 * The command line, served by the installation itself: the program as one file, and a script that installs
 * it. Both are public, as the program holds nothing of the installation.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { AppError } from '../../domain/errors.ts';

const loopback = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;
const plainHost = /^[a-z0-9.:[\]-]{1,300}$/i;
const notBuilt =
  'The command line is not built here. ./bin/up builds it; in a checkout, npm run package does.';

interface Program {
  mtimeMs: number;
  text: Buffer;
  sha256: string;
}

/** Adds GET /cli/berth.mjs and GET /cli/install.sh; `file` is the program as it was built. */
export function addCommandLine(app: FastifyInstance, file: string | undefined): void {
  let known: Program | undefined;
  const program = async (): Promise<Program> => {
    const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
    if (file === undefined || found === undefined) throw new AppError('NOT_FOUND', notBuilt);
    if (known?.mtimeMs === found.mtimeMs) return known;
    const text = await readFile(file);
    known = { mtimeMs: found.mtimeMs, text, sha256: createHash('sha256').update(text).digest('hex') };
    return known;
  };
  app.get('/cli/berth.mjs', async (request, reply) => {
    const { text, sha256 } = await program();
    const etag = `"${sha256}"`;
    void reply.headers({ 'cache-control': 'no-cache', etag });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.header('content-type', 'text/javascript; charset=utf-8').send(text);
  });
  app.get('/cli/install.sh', async (request, reply) => {
    const { sha256 } = await program();
    return reply
      .headers({
        'content-type': 'text/x-shellscript; charset=utf-8',
        'cache-control': 'no-cache',
      })
      .send(scriptFor(request, sha256));
  });
}

function scriptFor({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>, sha256: string): string {
  if (!plainHost.test(host))
    throw new AppError('BAD_REQUEST', 'The Host header of the request is not a host name with a port.');
  const url = `${protocol === 'https' ? 'https' : 'http'}://${host}`;
  return protocol === 'https' || loopback.test(host) ? installScript(url, sha256) : refusal(url);
}

/**
 * Over plain http anybody on the way could send another script, so the one that comes installs nothing: the
 * program is compared with the digest that bin/up printed, by a command of the person's.
 */
const refusal = (url: string): string => `#!/bin/sh
cat >&2 <<'END'
This address is plain http: whoever is on the way could change the program, so nothing was installed.
Use the https address of this Berth, or take the program and compare it with the SHA-256 that ./bin/up
printed on its machine:

  curl -fsS ${url}/cli/berth.mjs -o berth.mjs
  echo 'SHA256  berth.mjs' | sha256sum --check
END
exit 1
`;

/** Every line is read before the first is run, so that a download that breaks off runs nothing. */
const installScript = (url: string, sha256: string): string => `#!/bin/sh
# Installs the command line of Berth, from the installation at ${url}:
# the program into \${XDG_DATA_HOME:-~/.local/share}/berth, and a link to it into \${BERTH_BIN:-~/.local/bin}.
set -eu
fail() {
  printf '%s\\n' "$1" >&2
  exit 1
}
install_berth() {
  command -v node >/dev/null 2>&1 ||
    fail 'berth needs Node.js 20 or newer. Install it (https://nodejs.org) and run this again.'
  node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' ||
    fail "berth needs Node.js 20 or newer; this is $(node --version)."
  data=\${XDG_DATA_HOME:-$HOME/.local/share}/berth
  bin=\${BERTH_BIN:-$HOME/.local/bin}
  mkdir -p "$data" "$bin"
  new=$data/berth.new.mjs
  if command -v curl >/dev/null 2>&1; then
    curl -fsS '${url}/cli/berth.mjs' -o "$new"
  else
    wget -q '${url}/cli/berth.mjs' -O "$new"
  fi
  node -e '
    const found = require("crypto").createHash("sha256").update(require("fs").readFileSync(process.argv[1]));
    process.exit(found.digest("hex") === process.argv[2] ? 0 : 1);
  ' "$new" '${sha256}' || {
    rm -f "$new"
    fail 'What came is not the program that this Berth serves; it may have been updated. Run this again.'
  }
  chmod 755 "$new"
  mv -f "$new" "$data/berth.mjs"
  ln -sf "$data/berth.mjs" "$bin/berth"
  printf 'Installed %s, version %s.\\n' "$bin/berth" "$("$bin/berth" --version)"
  case ":$PATH:" in
    *":$bin:"*) ;;
    *) printf 'Add %s to PATH: export PATH="%s:$PATH"\\n' "$bin" "$bin" ;;
  esac
  printf 'Sign in with: berth login --url %s\\n' '${url}'
}
install_berth
`;
