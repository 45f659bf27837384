export const texts = {
  measured: 'A program of Berth measures this server and its containers; it opens no port.',
  notMeasured:
    'Nothing is measured here yet. A program of Berth would do it, asked through SSH; it opens no port.',
  thresholds:
    'Gets a POST, besides the notification “threshold passed” of your channels. 0 above is no threshold.',
  empty: 'Services run on this machine. Add a server of yours over SSH, and Berth sets it up.',
  key: 'Berth signs in over SSH with a key of its own. Put its public half on the server first:',
  keyNone: 'Make a key for it. Its private half stays encrypted in Berth.',
  baseDomain:
    'Services here without a host of their own are named service-project below it, over https, unless ' +
    'their project has a base domain.',
  hostKey:
    'A server that shows another host key is refused. Check the new one with ssh-keygen -lf on the server ' +
    'before you trust it.',
};

export const setupStageWords: Record<string, string> = {
  connect: 'Connect',
  facts: 'Inspect the machine',
  packages: 'Install packages',
  engine: 'Start the engine',
  swarm: 'Make the swarm',
  network: 'Make the network',
  folders: 'Make folders',
  proxy: 'Start the proxy',
  tools: 'Install tools',
  builders: 'Install builder programs',
  probe: 'Install the probe',
};
