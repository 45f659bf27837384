// The program of every service in corpus/lived.txt: it tells what a container is like from within, as one line
// of JSON, and then does what its words say: exit=CODE, after=MS, listen=PORT, ask=NAME,…, read=PATH,…, write=PATH.
const fs = require('node:fs');
const { lookup } = require('node:dns/promises');
const { setTimeout: pause } = require('node:timers/promises');

const words = Object.fromEntries(
  process.argv.slice(2).map((word) => [word.split('=')[0], word.slice(word.indexOf('=') + 1)]),
);
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
  if (words.listen) require('node:net').createServer((socket) => socket.end('here')).listen(Number(words.listen));
  if (words.write) fs.appendFileSync(words.write, 'written\n');
  const { HOSTNAME, ...environment } = process.env;
  const shm = fs.statfsSync('/dev/shm');
  const names = {};
  for (const name of list('ask')) names[name] = await resolves(name);
  console.log(
    `REPORT ${JSON.stringify({
      at,
      environment,
      command: process.argv.slice(2),
      working_dir: process.cwd(),
      user: [process.getuid(), process.getgid(), process.getgroups().sort()].join(' '),
      init: process.pid === 1 ? 'none' : 'before it',
      hostname: /^[0-9a-f]{12}$/.test(HOSTNAME) ? '' : HOSTNAME,
      volumes: mounts(),
      files: Object.fromEntries(list('read').map((path) => [path, [modeOf(path), text(path)]])),
      ...status(),
      ulimits: limits(),
      mem_limit: firstOf('/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'),
      cpus: firstOf('/sys/fs/cgroup/cpu.max', '/sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
      pids_limit: firstOf('/sys/fs/cgroup/pids.max', '/sys/fs/cgroup/pids/pids.max'),
      tty: process.stdout.isTTY === true,
      shm_size: shm.blocks * shm.bsize,
      aliases: names,
      // What it was told to do with its network.
      extra_hosts: text('/etc/hosts').split('\n').filter((line) => /\.test\b/.test(line)).sort(),
      dns_opt: text('/etc/resolv.conf').split('\n').filter((line) => line.startsWith('options')),
    })}`,
  );
  await pause(Number(words.after || 0));
  if ('exit' in words) process.exit(Number(words.exit));
  process.on('SIGTERM', () => process.exit(0));
  setInterval(() => {}, 1e6);
}
void main();
