/** Plans of DNS records, as Berth answers them: one to carry out, and one with records of others. */
const place = { zone: 'example.com', dnsProviderId: 'zones', dnsProvider: 'Our zones', unfinished: null };
const digest = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const name = 'shop.example.com';

const ready = {
  ...place,
  name,
  changes: [
    {
      action: 'create',
      name: `_berth-owner.${name}`,
      type: 'TXT',
      value: 'berth k3x9a18f2c1d7p2q V1StGXR8Z5jdHi6BmyT3k @ A 203.0.113.7',
    },
    { action: 'create', name, type: 'A', value: '203.0.113.7' },
  ],
  right: [],
  foreign: [],
  digest,
};

const taken = {
  ...place,
  name: '*.apps.example.com',
  changes: [],
  right: [],
  foreign: [
    {
      name: '*.apps.example.com',
      type: 'A',
      value: '198.51.100.9',
      hint: 'Remove it at the DNS provider if the name is to lead here, then look again.',
    },
  ],
  digest,
};

export const recordedRecords = {
  'domain.planRecords': ({ baseDomain }: { baseDomain?: string }) =>
    baseDomain === undefined ? ready : taken,
  'domain.applyRecords': ready,
};
