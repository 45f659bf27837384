import { expect, it } from 'vitest';
import { berthEnvironment, dataFolder, localAddress, proxyAddress, readSettings } from './settings.ts';

it('takes the environment first, then what was kept, then the default', () => {
  const settings = readSettings({ BERTH_PORT: '3100' }, { BERTH_PORT: '3200', BERTH_HTTP_PORT: '8080' });
  expect([settings.port, settings.httpPort, settings.httpsPort, settings.url]).toEqual([
    3100,
    8080,
    443,
    'http://localhost:3100',
  ]);
  expect(settings.chosen).toEqual({ BERTH_PORT: '3100', BERTH_HTTP_PORT: '8080' });
});

it('goes back to the default when the given value is empty', () => {
  const settings = readSettings({ BERTH_PORT: '' }, { BERTH_PORT: '3200' });
  expect(settings.port).toBe(3000);
  expect(settings.chosen).toEqual({});
});

it('keeps the chosen images and names the build in what Berth starts with', () => {
  const settings = { ...readSettings({ BERTH_PORT: '3100' }, {}), proxyImage: 'berth/caddy:2.11' };
  expect(berthEnvironment(settings, '/data', '1-abc')).toMatchObject({
    BERTH_DATA: '/data',
    BERTH_BUILD: '1-abc',
    BERTH_PORT: '3100',
    BERTH_PROXY_IMAGE: 'berth/caddy:2.11',
  });
  expect(berthEnvironment(settings, '/data', '1-abc')).not.toHaveProperty('BERTH_HTTP_PORT');
});

it.each(['0', '65536', '80a', '-1', '1e3', ' 80'])('refuses the port %j', (port) => {
  expect(() => readSettings({ BERTH_PORT: port }, {})).toThrow('BERTH_PORT');
});

it('takes the limit for health from this run only', () => {
  const settings = readSettings({ BERTH_HEALTH_LIMIT: '300' }, {});
  expect(settings.healthLimitMs).toBe(300_000);
  expect(settings.chosen).toEqual({});
  expect(readSettings({}, { BERTH_HEALTH_LIMIT: '300' }).healthLimitMs).toBe(60_000);
  expect(() => readSettings({ BERTH_HEALTH_LIMIT: '1m' }, {})).toThrow('BERTH_HEALTH_LIMIT');
});

it('refuses an address that is none and a data folder that is not its own', () => {
  expect(() => readSettings({ BERTH_URL: 'berth' }, {})).toThrow('BERTH_URL');
  expect(() => dataFolder({ BERTH_DATA: 'data' })).toThrow('BERTH_DATA');
  expect(() => dataFolder({ BERTH_DATA: '/' })).toThrow('BERTH_DATA');
  expect(dataFolder({})).toBe('/var/lib/berth');
  expect(dataFolder({ BERTH_DATA: '/srv/berth/' })).toBe('/srv/berth');
});

it('finds Berth and its proxy from this machine', () => {
  expect(localAddress(readSettings({}, {}))).toBe('127.0.0.1');
  expect(localAddress(readSettings({ BERTH_HOST: '10.0.0.5' }, {}))).toBe('10.0.0.5');
  expect(proxyAddress(readSettings({}, {}), 'hello.localhost')).toBe('http://hello.localhost');
  expect(proxyAddress(readSettings({ BERTH_HTTP_PORT: '8080' }, {}), 'hello.localhost')).toBe(
    'http://hello.localhost:8080',
  );
});
