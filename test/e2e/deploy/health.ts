/** Health checks of every kind, passing and failing; what ends a deployment; what a rollback runs. */
import { expect, it } from 'vitest';
import { nodeCommand } from '../fixtures/sources.ts';
import { until, type App, type ApplicationFixture } from '../fixtures/applications.ts';

const quick = { interval: 1, timeout: 2, retries: 2, startPeriod: 2 };
/** Long enough that nobody sees its end: the version stays unhealthy for the whole test. */
const patient = { interval: 1, timeout: 2, retries: 100, startPeriod: 300 };

/** Answers this status on `/health`, and 200 on everything else. */
const answering = (status: number): string =>
  `node -e 'require("http").createServer((q, s) => ` +
  `s.writeHead(q.url === "/health" ? ${status} : 200).end("up")).listen(3000)'`;

/** Ends in good order when it is asked to. */
const deaf =
  `node -e 'process.on("SIGTERM", () => process.exit(0)); ` + `require("http").createServer().listen(3999)'`;

export function healthTests(shop: () => ApplicationFixture): void {
  const failing = async (app: App): Promise<{ errorMessage: string; log: string }> => {
    const deployment = await app.ended(await app.begin());
    expect(deployment.status).toBe('error');
    return { errorMessage: deployment.errorMessage ?? '', log: await app.log(deployment.deploymentId) };
  };

  it.concurrent('a health check with a path passes, and tells status and time when it does not', async () => {
    const app = await shop().fromImage('health-path', answering(200), {
      settings: { healthCheck: { ...quick, path: '/health' } },
    });
    await app.deploy();
    expect(await app.answer()).toMatchObject({ status: 200, body: 'up' });
    await app.do('application.update', { command: answering(503) });
    expect((await failing(app)).errorMessage).toMatch(
      /; at last it said: GET http:\/\/127\.0\.0\.1:3000\/health answered 503 after \d+ ms\. The former version/,
    );
    expect(await app.answer()).toMatchObject({ status: 200, body: 'up' });
  });

  it.concurrent('a health check with a port passes, and tells what listens when it does not', async () => {
    const app = await shop().fromImage('health-port', answering(200), {
      settings: { healthCheck: { ...quick, port: 3000 } },
    });
    await app.deploy();
    await app.do('application.update', {
      command: deaf,
      healthCheck: { ...quick, startPeriod: 14, port: 3000 },
    });
    const { errorMessage, log } = await failing(app);
    const words = "nothing listens on port 3000; the program listens on 3999 (set the domain's port or PORT)";
    expect(errorMessage).toBe(
      'It never became healthy: its health check kept failing until the engine gave up; at last it said: ' +
        `${words}. The former version keeps running.`,
    );
    expect(log).toContain(`Not healthy yet: ${words}.`);
  });

  it.concurrent('a health check with a command passes, and its words are told when it does not', async () => {
    const check = (code: number) => ({
      ...quick,
      command: ['node', '-e', `console.log("the queue is full"); process.exit(${code})`],
    });
    const app = await shop().fromImage('health-command', answering(200), {
      settings: { healthCheck: check(0) },
    });
    await app.deploy();
    await app.do('application.update', { healthCheck: check(1) });
    expect((await failing(app)).errorMessage).toMatch(/at last it said: the queue is full\. The former/);
  });

  it.concurrent("PORT is the first domain's port, unless somebody set it", async () => {
    const listening =
      `node -e 'const { PORT } = process.env; ` +
      `require("http").createServer((q, s) => s.end(PORT)).listen(PORT)'`;
    const app = await shop().fromImage('health-own-port', listening, { port: 4100 });
    await app.deploy();
    expect(await app.answer()).toMatchObject({ body: '4100' });
    await app.do('application.saveEnvironment', { env: 'PORT=4200' });
    const { log } = await failing(app);
    expect(log).toContain('nothing listens on port 4100; the program listens on 4200');
  });

  it.concurrent('stop, start and delete end a deployment that waits for its health', async () => {
    const { berth } = shop();
    const app = await shop().fromImage('health-stopped', nodeCommand('good'));
    await app.deploy();
    await app.do('application.update', { command: deaf, healthCheck: { ...patient, port: 3000 } });
    const waits = async (): Promise<string> => {
      const deploymentId = await app.begin();
      await until('it waits for its health', async () =>
        (await app.log(deploymentId)).includes('Waiting until the new version is healthy'),
      );
      return deploymentId;
    };
    const byStop = await waits();
    expect(await app.do('application.killBuild')).toMatchObject({ applicationStatus: 'running' });
    const { status: reloaded } = await berth.ask('application.reload', {
      applicationId: app.id,
      appName: app.appName,
    });
    expect(reloaded).toBe(409);
    expect(await app.do('application.stop')).toMatchObject({ applicationStatus: 'idle' });
    expect(await app.ended(byStop)).toMatchObject({
      status: 'cancelled',
      errorMessage: expect.stringMatching(/^Ended by stop of \S+@\S+\.$/),
    });
    expect(await app.log(byStop)).toContain('Cancelled: Ended by stop of ');

    const byStart = await waits();
    expect(await app.do('application.start')).toMatchObject({ applicationStatus: 'done' });
    expect(await app.ended(byStart)).toMatchObject({ status: 'cancelled' });
    await until('the live version answers', async () => (await app.answer('/version')).body === 'good');

    await waits();
    expect(await app.do('application.delete')).toMatchObject({ name: 'health-stopped' });
  });

  it.concurrent('a version that never becomes healthy holds up no other build', async () => {
    const stuck = await shop().fromImage('health-stuck', deaf, {
      settings: { healthCheck: { ...patient, port: 3000 } },
    });
    const deploymentId = await stuck.begin();
    await until('it waits for its health', async () =>
      (await stuck.log(deploymentId)).includes('Waiting until the new version is healthy'),
    );
    await (await shop().fromImage('health-behind', nodeCommand('behind'))).deploy();
    expect(await stuck.do('application.stop')).toMatchObject({ applicationStatus: 'idle' });
  });

  it.concurrent('a rollback runs no pre-release command, and the variables of then', async () => {
    const app = await shop().fromImage('health-back', nodeCommand('one'));
    await app.do('application.saveEnvironment', { env: 'OF=one' });
    const first = await app.deploy();
    await app.do('application.update', { command: nodeCommand('two') });
    await app.do('application.saveEnvironment', { env: 'OF=two' });
    await app.deploy();
    await app.do('application.update', {
      preReleaseCommand: ['node', '-e', 'console.log("not for old images"); process.exit(9)'],
    });
    const { deploymentId } = await shop().berth.call<{ deploymentId: string }>('deployment.rollback', {
      deploymentId: first.deploymentId,
    });
    expect(await app.ended(deploymentId)).toMatchObject({ status: 'done', errorMessage: null });
    expect(await app.log(deploymentId)).not.toContain('pre-release');
    expect(await app.state()).toMatchObject({ version: 'one', env: { OF: 'one' } });
  });
}
