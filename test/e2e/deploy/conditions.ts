/**
 * Ways for a service to be ill, each caused for real: what `service.all` calls it, with the reason, and how
 * long that took.
 */
import { afterAll, expect, it } from 'vitest';
import { output, docker, until, type App, type ApplicationFixture } from '../fixtures/applications.ts';

interface Seen {
  serviceId: string;
  condition: string;
  reason: string | null;
}

/** Does what is written in a file of its volume, also after it was started again. */
const obedient = `
  const { readFileSync } = require("node:fs");
  const server = require("node:http").createServer((_, answer) => answer.end("well")).listen(3000);
  const kept = [];
  setInterval(() => {
    let order = "";
    try { order = readFileSync("/data/order", "utf8").trim(); } catch {}
    if (order === "exit") { console.error("told to end"); process.exit(3); }
    if (order === "eat") for (;;) kept.push(Buffer.alloc(1 << 20, 1));
    if (order === "deafen" && server.listening) { server.close(); server.closeAllConnections(); }
  }, 100);`;
const command = `node -e '${obedient.replaceAll('\n', ' ')}'`;
const took: [string, number][] = [];

export function conditionTests(shop: () => ApplicationFixture): void {
  afterAll(() => {
    for (const [what, ms] of took)
      console.log(`condition of ${what}: seen after ${(ms / 1000).toFixed(1)} s`);
  });

  async function seen({ id }: App): Promise<Seen> {
    const all = await shop().berth.call<Seen[]>('service.all', {});
    const found = all.find((one) => one.serviceId === id);
    if (!found) throw new Error(`${id} is not in the list`);
    return found;
  }

  /** Waits for the condition with a reason of that kind. */
  async function expectBecomes(
    what: string,
    app: App,
    condition: string | readonly string[],
    reason: RegExp | null,
  ): Promise<void> {
    const wanted = [condition].flat();
    const begin = Date.now();
    let last: Seen | undefined;
    try {
      await until(
        what,
        async () => {
          last = await seen(app);
          const fits = reason === null ? last.reason === null : reason.test(last.reason ?? '');
          return wanted.includes(last.condition) && fits;
        },
        90_000,
      );
    } catch (cause) {
      const sought = `${wanted.join(' or ')} ${String(reason)}`;
      throw new Error(`${what}: wanted ${sought}, last ${JSON.stringify(last)}`, { cause });
    }
    took.push([what, Date.now() - begin]);
  }

  const host = () => shop().berth.services;
  const containersOf = async (app: App): Promise<string[]> =>
    (await output(host(), docker, 'ps', '-q', '--filter', `label=berth.application=${app.id}`))
      .split('\n')
      .filter(Boolean);
  async function order(app: App, what: string): Promise<void> {
    const [container = ''] = await containersOf(app);
    await output(host(), docker, 'exec', container, 'sh', '-c', `echo ${what} > /data/order`);
  }
  async function well(name: string, settings: Record<string, unknown> = {}): Promise<App> {
    const app = await shop().fromImage(name, command, { settings });
    expect((await seen(app)).condition).toBe('never deployed');
    await app.do('mount.create', { type: 'volume', volumeName: 'orders', mountPath: '/data' });
    await app.deploy();
    await expectBecomes(`${name}, well`, app, 'up', null);
    return app;
  }

  it.concurrent('a program that keeps ending', async () => {
    const app = await well('ill-exits');
    await order(app, 'exit');
    await expectBecomes('a crash loop', app, 'down', /keeps ending[\s\S]*exit code 3/);
  });

  it.concurrent('a program that needs more memory than it has', async () => {
    const app = await well('ill-eats', { memoryLimit: '64m' });
    await order(app, 'eat');
    await expectBecomes('out of memory', app, 'down', /killed at its memory limit/);
  });

  it.concurrent('a program that does not answer any more', async () => {
    const app = await well('ill-deaf', {
      healthCheck: { port: 3000, interval: 1, timeout: 2, retries: 2, startPeriod: 3 },
    });
    await order(app, 'deafen');
    await expectBecomes(
      'never healthy again',
      app,
      'down',
      /health|unhealthy|did not answer|nothing listens/i,
    );
  });

  it.concurrent('paused, in part and whole; stopped and started by hand', async () => {
    const app = await shop().fromImage('ill-pauses', command, { settings: { replicas: 2 } });
    await app.deploy();
    await expectBecomes('two tasks, well', app, 'up', null);
    const [first = '', second = ''] = await containersOf(app);
    await output(host(), docker, 'pause', first);
    await expectBecomes('one of two paused', app, 'degraded', /paused on the engine/);
    await output(host(), docker, 'pause', second);
    await expectBecomes('both paused', app, 'down', /2 containers of it are paused/);
    await output(host(), docker, 'unpause', first);
    await output(host(), docker, 'unpause', second);
    await expectBecomes('unpaused', app, 'up', null);
    await app.do('application.stop');
    await expectBecomes('stopped by hand', app, 'stopped', null);
    await app.do('application.start');
    await expectBecomes('started again', app, 'up', null);
  });

  it.concurrent('nowhere to run: no node, no memory, no image', async () => {
    const app = await well('ill-placed');
    const ill: [string, string[], RegExp][] = [
      ['no node that fits', ['--constraint-add', 'node.labels.none==1'], /no suitable node/i],
      [
        'no memory left',
        ['--constraint-rm', 'node.labels.none==1', '--reserve-memory', '900g'],
        /resources/i,
      ],
      ['no image', ['--reserve-memory', '0', '--image', 'berth/gone:1', '--no-resolve-image'], /image/i],
    ];
    // As another administrator would: Berth itself refuses each of these, or puts them back.
    for (const [what, change, reason] of ill) {
      await output(
        host(),
        docker,
        'service',
        'update',
        '--detach',
        '--update-order',
        'stop-first',
        ...change,
        app.appName,
      );
      await expectBecomes(what, app, 'down', reason);
    }
  });

  it.concurrent('a node that it stays on, and a volume, that are gone', async () => {
    const gone = await well('ill-node');
    // As after a loss: what has a volume stays on its node, and that is no longer in the swarm.
    const constraint = 'node.id==tg6iu8y3nodeofformertimes1';
    await output(
      host(),
      docker,
      'service',
      'update',
      '--detach',
      '--constraint-add',
      constraint,
      gone.appName,
    );
    await expectBecomes('its node gone', gone, 'down', /no suitable node/i);

    const app = await well('ill-volume');
    const [container = ''] = await containersOf(app);
    const format = '{{range .Mounts}}{{if eq .Destination "/data"}}{{.Source}}{{end}}{{end}}';
    const folder = await output(host(), docker, 'inspect', '--format', format, container);
    // As when its disk does not come back: the engine knows the volume, and nothing is there.
    await output(host(), 'rm', '-r', folder);
    await output(host(), docker, 'kill', container);
    await expectBecomes('its volume gone', app, 'down', /no such file|volume|mount/i);
    await output(host(), 'mkdir', folder);
    // After three ends within ten minutes what runs again is called degraded; how many there were is the
    // engine's affair.
    await expectBecomes('its volume back', app, ['up', 'degraded'], /^$|keeps ending/);
    await until('it answers again', async () => (await app.answer()).status === 200);
  });

  it.concurrent('a port that something else has taken', async () => {
    const app = await well('ill-port');
    await app.do('port.create', { publishedPort: 8099, targetPort: 3000 });
    await app.do('application.reload', { appName: app.appName });
    await expectBecomes('port, well', app, 'up', null);
    await app.do('application.stop');
    const taken = await output(
      host(),
      docker,
      'run',
      '-d',
      '--rm',
      '-p',
      '8099:80',
      'berth/node:24',
      'sleep',
      '600',
    );
    try {
      await app.do('application.start').catch(() => undefined);
      await expectBecomes('port taken', app, 'down', /port/i);
    } finally {
      await output(host(), docker, 'rm', '-f', taken);
    }
    await app.do('application.start');
    await until('it answers again', async () => (await app.answer()).status === 200);
  });
}
