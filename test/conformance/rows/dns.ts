/** Accounts at DNS providers, and certificates that are asked for by them. */
import { any, type Rows } from '../row.ts';

const rfc2136 = { server: '127.0.0.1:1', keyName: 'berth', algorithm: 'hmac-sha256' };
const secret = 'aGlkZGVuLWRucy1zZWNyZXQ=';
const provider = {
  dnsProviderId: any.id,
  name: any.text,
  kind: 'rfc2136',
  rights: any.text,
  rfc2136,
  settings: any.absent,
  // Its server is nowhere: whatever is ordered meanwhile says so.
  lastError: any.textOrNull,
  createdAt: any.time,
};

export const dnsProviderRows: Rows = [
  {
    call: 'dnsProvider.create',
    input: { name: 'our zones', kind: 'rfc2136', rfc2136: { ...rfc2136, secret } },
    gives: { ...provider, name: 'our zones' },
    keep: { madeId: 'dnsProviderId' },
    after: [{ call: 'dnsProvider.remove', input: { dnsProviderId: '<madeId>' } }],
  },
  {
    call: 'dnsProvider.create',
    input: { name: 'our zones', kind: 'rfc2136' },
    refused: 'BAD_REQUEST',
    field: 'rfc2136',
  },
  {
    call: 'dnsProvider.create',
    input: { name: 'our zones', kind: 'rfc2136', rfc2136: { ...rfc2136, secret: 'not base64' } },
    refused: 'BAD_REQUEST',
    field: 'rfc2136.secret',
  },
  { call: 'dnsProvider.one', input: { dnsProviderId: '<dnsProviderId>' }, gives: provider },
  { call: 'dnsProvider.all', gives: [provider, provider] },
  {
    call: 'dnsProvider.update',
    input: { dnsProviderId: '<dnsProviderId>', name: 'elsewhere' },
    gives: { ...provider, name: 'elsewhere' },
  },
  {
    call: 'dnsProvider.update',
    input: { dnsProviderId: '<dnsProviderId>', rfc2136: { server: 'ns2.example.com' } },
    refused: 'BAD_REQUEST',
    field: 'rfc2136.secret',
  },
  {
    call: 'dnsProvider.test',
    input: { dnsProviderId: '<dnsProviderId>', hostName: 'example.com' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    call: 'dnsProvider.test',
    input: { dnsProviderId: '<dnsProviderId>', hostName: 'no host' },
    refused: 'BAD_REQUEST',
    field: 'hostName',
  },
  {
    call: 'dnsProvider.remove',
    input: { dnsProviderId: '<freeDnsProviderId>' },
    gives: provider,
    after: [
      { call: 'dnsProvider.one', input: { dnsProviderId: '<freeDnsProviderId>' }, refused: 'NOT_FOUND' },
    ],
  },
  {
    call: 'dnsProvider.remove',
    input: { dnsProviderId: '<dnsProviderId>' },
    refused: 'PRECONDITION_FAILED',
  },
];

const order = {
  certificateOrderId: any.id,
  name: any.text,
  names: any.list,
  dnsProviderId: '<dnsProviderId>',
  certificateResolverId: null,
  certificateId: null,
  isAutomatic: false,
  leaseHolder: any.absent,
  createdAt: any.time,
};
const wished = { name: 'wildcard', names: ['*.apps.example.com'], dnsProviderId: '<dnsProviderId>' };

export const certificateOrderRows: Rows = [
  {
    call: 'certificateOrder.create',
    input: { ...wished, names: ['*.Apps.Example.com', 'apps.example.com'] },
    gives: { ...order, names: ['*.apps.example.com', 'apps.example.com'], status: any.text },
    keep: { madeId: 'certificateOrderId' },
    after: [{ call: 'certificateOrder.remove', input: { certificateOrderId: '<madeId>' } }],
  },
  ...[
    ['*.com'],
    ['no host'],
    ['localhost'],
    ['*.apps.example.com', 'a.apps.example.com'],
    ['*.sslip.io'],
    [],
  ].map((names) => ({
    call: 'certificateOrder.create',
    input: { ...wished, names },
    refused: 'BAD_REQUEST' as const,
  })),
  {
    call: 'certificateOrder.one',
    input: { certificateOrderId: '<certificateOrderId>' },
    gives: { ...order, status: 'waiting', error: null, attempts: 0 },
  },
  { call: 'certificateOrder.all', gives: [order] },
  {
    call: 'certificateOrder.update',
    input: { certificateOrderId: '<certificateOrderId>', certificateResolverId: '<certificateResolverId>' },
    gives: { ...order, certificateResolverId: '<certificateResolverId>' },
  },
  {
    call: 'certificateOrder.retry',
    input: { certificateOrderId: '<certificateOrderId>' },
    gives: order,
  },
  {
    call: 'certificateOrder.remove',
    input: { certificateOrderId: '<certificateOrderId>' },
    gives: order,
    after: [
      {
        call: 'certificateOrder.one',
        input: { certificateOrderId: '<certificateOrderId>' },
        refused: 'NOT_FOUND',
      },
    ],
  },
];
