// The program of every service of the corpus: it tells what a container is like from within, as one line of
// JSON, and then does what its words say: exit=CODE, after=MS, listen=PORT,…, ask=NAME,…, read=PATH,…,
// write=PATH, name=SERVICE, sysctl=NAME,…, and neighbour=NAME,…, which it asks for once it is told to.
//
// Signals: HUP leaves a mark in each folder that it may write, WINCH tells which marks and neighbours it finds,
// USR2 ends it as a failure would.
const fs = require('node:fs');
const { join } = require('node:path');
const { lookup, Resolver } = require('node:dns/promises');
const { setTimeout: pause } = require('node:timers/promises');

const words = Object.fromEntries(
  process.argv.slice(2).map((word) => [word.split('=')[0], word.slice(word.indexOf('=') + 1)]),
);
// Words that the test puts before those of the file.
const ofTest = /^(?:listen|read|name|sysctl|neighbour|exit|after)=/;
const list = (name) => (words[name] || '').split(',').filter(Boolean);
const text = (path) => {
  try {
    return fs.readFileSync(path, 'utf8').trim();
  } catch (error) {
    return error.code;
  }
};
const firstOf = (...paths) => paths.map(text).find((found) => found !== 'ENOENT');
// Who may read and run it: what is mounted read-only is not written, whatever its mode says.
const modeOf = (path) => (fs.existsSync(path) ? (fs.statSync(path).mode & 0o555).toString(8) : 'absent');

function mounts() {
  const own = /^\/(?:proc|sys|dev(?!\/shm)|etc\/(?:resolv\.conf|hosts|hostname)$)/;
  const lines = text('/proc/self/mountinfo').split('\n');
  const found = lines.map((line) => {
    const [before, after] = line.split(' - ');
    const [, , , root, target, options] = before.split(' ');
    // The engine's own disk may be memory, too, of which a volume is a part.
    const isMemory = after.split(' ')[0] === 'tmpfs' && root === '/';
    return [target, `${isMemory ? 'tmpfs ' : ''}${options.split(',')[0]}`];
  });
  // Single files are told by their content: docker compose copies some of them into the container.
  const folders = found.filter(([target]) => !own.test(target) && fs.statSync(target).isDirectory());
  return Object.fromEntries(folders.sort());
}

const foldersOf = () => Object.keys(mounts()).filter((path) => path !== '/' && path !== '/dev/shm');

// Names and texts of a folder, which may be that of the compose file.
function content(path, depth = 0) {
  if (!fs.existsSync(path) || !fs.statSync(path).isDirectory()) return text(path);
  if (depth > 3) return '…';
  const names = fs.readdirSync(path).filter((name) => name !== '.git' && !name.startsWith(mark)).sort();
  return Object.fromEntries(names.map((name) => [name, content(join(path, name), depth + 1)]));
}

const mark = '.seen-by-';
function leaveMarks() {
  for (const path of foldersOf())
    try {
      fs.writeFileSync(join(path, mark + words.name), '');
    } catch {
      // The other side finds no mark, either.
    }
  console.log('MARKED {}');
}

// A name that nobody has is asked for outside of the engine, where nobody answers.
const resolver = new Resolver({ timeout: 1500, tries: 1 });
const isThere = (name) => resolver.resolve4(name).then(() => true, () => false);

async function tell() {
  const marksIn = (path) => {
    try {
      return fs.readdirSync(path).filter((name) => name.startsWith(mark)).sort();
    } catch (error) {
      return error.code;
    }
  };
  const shared = Object.fromEntries(foldersOf().map((path) => [path, marksIn(path)]));
  const neighbours = {};
  await Promise.all(list('neighbour').map(async (name) => void (neighbours[name] = await isThere(name))));
  console.log(`SEEN ${JSON.stringify({ shared, neighbours })}`);
}

const own = `${require('node:os').hostname()} ${require('node:os').hostname().split('.')[0]}`;
// One address of the server's is another machine's on the other side.
const hostLines = () =>
  text('/etc/hosts')
    .split('\n')
    .filter((line) => /\.(?:test|example|internal)\b/.test(line) && !line.endsWith(`\t${own}`))
    .map((line) => line.replace(/^172\.17\.0\.1\b/, 'the server'))
    .sort();

function limits() {
  const found = {};
  for (const line of text('/proc/self/limits').split('\n').slice(1)) {
    const [, name, soft, hard] = /^Max (.+?)\s{2,}(\S+)\s+(\S+)/.exec(line) || [];
    if (['open files', 'processes', 'locked memory', 'core file size'].includes(name))
      found[name] = `${soft}:${hard}`;
  }
  return found;
}

function status() {
  const lines = text('/proc/self/status').split('\n');
  const of = (name) => (lines.find((line) => line.startsWith(`${name}:`)) || '').split('\t').slice(1).join(' ').trim();
  return { cap_add: of('CapEff'), cap_drop: of('CapBnd'), no_new_privileges: of('NoNewPrivs'), seccomp: of('Seccomp') };
}

async function resolves(name) {
  for (let left = 40; ; left -= 1) {
    const found = await lookup(name).then(() => true, () => false);
    if (found || left === 0) return found;
    await pause(250);
  }
}

async function main() {
  const at = Date.now();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT']) process.on(signal, () => process.exit(0));
  process.on('SIGHUP', leaveMarks);
  process.on('SIGWINCH', () => void tell());
  process.on('SIGUSR2', () => process.exit(3));
  for (const port of list('listen'))
    require('node:net').createServer((socket) => socket.end('here')).on('error', () => {}).listen(Number(port));
  if (words.write) fs.appendFileSync(words.write, 'written\n');
  const { HOSTNAME, ...environment } = process.env;
  const own = process.argv.slice(2).filter((word) => !ofTest.test(word));
  const shm = fs.statfsSync('/dev/shm');
  const names = {};
  for (const name of list('ask')) names[name] = await resolves(name);
  console.log(
    `REPORT ${JSON.stringify({
      at,
      environment,
      command: own,
      working_dir: process.cwd(),
      user: [process.getuid(), process.getgid(), process.getgroups().sort()].join(' '),
      init: process.pid === 1 ? 'none' : 'before it',
      hostname: /^[0-9a-f]{12}$/.test(HOSTNAME) ? '' : HOSTNAME,
      volumes: mounts(),
      files: Object.fromEntries(list('read').map((path) => [path, [modeOf(path), content(path)]])),
      ...status(),
      ulimits: limits(),
      mem_limit: firstOf('/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'),
      cpus: firstOf('/sys/fs/cgroup/cpu.max', '/sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
      pids_limit: firstOf('/sys/fs/cgroup/pids.max', '/sys/fs/cgroup/pids/pids.max'),
      tty: process.stdout.isTTY === true,
      shm_size: shm.blocks * shm.bsize,
      aliases: names,
      // What it was told to do with its network.
      extra_hosts: hostLines(),
      dns_opt: text('/etc/resolv.conf').split('\n').filter((line) => /^options (?!ndots:0$)/.test(line)),
      dns_search: text('/etc/resolv.conf').split('\n').filter((line) => line.startsWith('search')),
      sysctls: Object.fromEntries(
        list('sysctl').map((name) => [name, text(`/proc/sys/${name.replaceAll('.', '/')}`)]),
      ),
    })}`,
  );
  await pause(Number(words.after || 0));
  if ('exit' in words) process.exit(Number(words.exit));
  setInterval(() => {}, 1e6);
}
void main();
