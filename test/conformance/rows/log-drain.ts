/** Where the output of services goes besides Berth. */
import { any, type Rows } from '../row.ts';

const drain = {
  logDrainId: any.id,
  name: any.text,
  type: 'loki',
  address: any.text,
  projectId: null,
  username: 'berth',
  password: any.absent,
  sent: 0,
  dropped: 0,
  lastSentAt: null,
  lastError: null,
  createdAt: any.time,
};
const loki = {
  name: 'all of it',
  type: 'loki',
  address: 'https://loki.example.com/loki/api/v1/push',
  enabled: false,
};
const syslog = { name: 'one project', type: 'syslogTcp', address: 'logs.example.com:601', enabled: false };

export const logDrainRows: Rows = [
  {
    call: 'logDrain.create',
    input: { ...loki, username: 'berth', password: 'hidden-log-drain-password' },
    gives: { ...drain, name: 'all of it', enabled: false },
  },
  {
    call: 'logDrain.create',
    input: { ...syslog, projectId: '<projectId>' },
    gives: { ...drain, type: 'syslogTcp', projectId: any.id, username: null },
  },
  {
    call: 'logDrain.create',
    input: { ...syslog, address: 'logs' },
    refused: 'BAD_REQUEST',
    field: 'address',
  },
  {
    call: 'logDrain.create',
    input: { ...loki, address: 'ftp://loki.example.com/' },
    refused: 'BAD_REQUEST',
    field: 'address',
  },
  {
    call: 'logDrain.create',
    input: { ...syslog, username: 'berth', password: 'hidden' },
    refused: 'BAD_REQUEST',
    field: 'username',
  },
  {
    call: 'logDrain.create',
    input: { ...loki, username: 'berth' },
    refused: 'BAD_REQUEST',
    field: 'password',
  },
  { call: 'logDrain.one', input: { logDrainId: '<logDrainId>' }, gives: drain },
  { call: 'logDrain.all', gives: [drain] },
  {
    call: 'logDrain.update',
    input: { logDrainId: '<logDrainId>', name: 'elsewhere' },
    gives: { ...drain, name: 'elsewhere' },
  },
  {
    call: 'logDrain.update',
    input: { logDrainId: '<logDrainId>', address: 'https://elsewhere.example.com/push' },
    refused: 'BAD_REQUEST',
    field: 'password',
  },
  { call: 'logDrain.test', input: { logDrainId: '<logDrainId>' }, refused: 'PRECONDITION_FAILED' },
  {
    call: 'logDrain.remove',
    input: { logDrainId: '<logDrainId>' },
    gives: drain,
    after: [{ call: 'logDrain.one', input: { logDrainId: '<logDrainId>' }, refused: 'NOT_FOUND' }],
  },
];
