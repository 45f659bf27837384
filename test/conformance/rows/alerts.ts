/** What runs by schedule, and what is wrong. */
import { any, type Rows } from '../row.ts';

const schedule = {
  scheduleId: any.id,
  applicationId: '<applicationId>',
  composeId: null,
  serviceName: null,
  name: any.text,
  cron: '0 4 * * *',
  timeZone: any.text,
  command: any.list,
  limitMinutes: 60,
  enabled: any.boolean,
  nextRunAt: any.textOrNull,
  createdAt: any.time,
};
const good = {
  applicationId: '<applicationId>',
  name: 'tidy',
  cron: '0 4 * * *',
  command: ['node', 'tidy.js'],
};
const run = {
  scheduleRunId: any.id,
  scheduleId: '<scheduleId>',
  startedBy: any.text,
  status: any.text,
  exitCode: null,
  errorMessage: any.textOrNull,
  dueAt: any.time,
  startedAt: null,
  finishedAt: any.textOrNull,
};

export const scheduleRows: Rows = [
  {
    call: 'schedule.create',
    input: { ...good, timeZone: 'Europe/Berlin' },
    gives: { ...schedule, name: 'tidy', timeZone: 'Europe/Berlin', enabled: true, nextRunAt: any.time },
  },
  {
    call: 'schedule.create',
    input: { ...good, cron: 'nightly' },
    refused: 'BAD_REQUEST',
    field: 'cron',
  },
  {
    call: 'schedule.create',
    input: { ...good, applicationId: null },
    refused: 'BAD_REQUEST',
    field: 'applicationId',
  },
  {
    call: 'schedule.create',
    input: { ...good, applicationId: null, composeId: '<composeId>' },
    refused: 'BAD_REQUEST',
    field: 'serviceName',
  },
  {
    call: 'schedule.create',
    input: { ...good, applicationId: '<foreign.applicationId>' },
    refused: 'FORBIDDEN',
  },
  { call: 'schedule.one', input: { scheduleId: '<scheduleId>' }, gives: schedule },
  { call: 'schedule.all', input: { applicationId: '<applicationId>' }, gives: [schedule] },
  {
    call: 'schedule.update',
    input: { scheduleId: '<scheduleId>', cron: '@daily', enabled: true },
    gives: { ...schedule, cron: '@daily', enabled: true, nextRunAt: any.time },
  },
  {
    call: 'schedule.run',
    input: { scheduleId: '<scheduleId>' },
    gives: { ...run, startedBy: 'person', status: 'queued' },
  },
  {
    call: 'schedule.runs',
    input: { scheduleId: '<scheduleId>' },
    gives: [{ ...run, status: 'missed' }],
  },
  {
    call: 'schedule.runLogs',
    input: { scheduleRunId: '<scheduleRunId>' },
    gives: { lines: any.list, lastEventId: any.textOrNull },
  },
  {
    call: 'schedule.remove',
    input: { scheduleId: '<scheduleId>' },
    gives: schedule,
    after: [{ call: 'schedule.one', input: { scheduleId: '<scheduleId>' }, refused: 'NOT_FOUND' }],
  },
];

const alarm = {
  alarmId: '<alarmId>',
  kind: 'serviceDown',
  subject: { type: 'application', id: '<applicationId>', name: 'shop' },
  sentence: 'shop is down.',
  serviceId: '<applicationId>',
  environmentId: '<environmentId>',
  projectId: '<projectId>',
  begunAt: any.time,
  endedAt: any.time,
};

export const alarmRows: Rows = [
  { call: 'alarm.all', gives: [] },
  {
    call: 'alarm.all',
    input: { ended: true },
    gives: [{ ...alarm, acknowledgedAt: null, acknowledgedBy: null }],
  },
  {
    call: 'alarm.acknowledge',
    input: { alarmId: '<alarmId>' },
    gives: { ...alarm, acknowledgedAt: any.time, acknowledgedBy: any.id },
  },
];

export const templateRows: Rows = [
  { call: 'template.all', input: { limit: 1 }, gives: { items: [{ name: any.text }], nextCursor: any.text } },
  { call: 'template.one', input: { name: 'uptime-kuma' }, gives: any.object },
  { call: 'template.one', input: { name: 'no-such' }, refused: 'NOT_FOUND' },
  {
    call: 'template.create',
    input: { template: 'uptime-kuma', environmentId: '<environmentId>' },
    gives: { composeId: any.text, deploymentId: any.text, address: any.matching(/^http:/) },
  },
  {
    call: 'template.create',
    input: { template: 'no-such', environmentId: '<environmentId>' },
    refused: 'NOT_FOUND',
  },
  {
    call: 'template.one',
    input: { name: 'wiki', templateCatalogueId: '<templateCatalogueId>' },
    gives: { name: 'wiki', catalogue: { name: 'ours' } },
  },
  {
    call: 'template.one',
    input: { name: 'none', templateCatalogueId: '<templateCatalogueId>' },
    refused: 'NOT_FOUND',
  },
  {
    call: 'template.create',
    input: {
      template: 'wiki',
      templateCatalogueId: '<templateCatalogueId>',
      environmentId: '<environmentId>',
    },
    gives: { composeId: any.text, deploymentId: any.text, address: null },
  },
  { call: 'template.updates', gives: any.list },
  { call: 'template.changes', input: { composeId: '<composeId>' }, gives: null },
  { call: 'template.apply', input: { composeId: '<composeId>' }, refused: 'PRECONDITION_FAILED' },
];

const catalogue = {
  templateCatalogueId: any.id,
  name: 'ours',
  url: 'https://127.0.0.1:1/templates.git',
  branch: '',
  folder: '',
  username: 'reader',
  password: any.absent,
  commit: any.text,
  readAt: any.time,
  templateCount: 1,
  leftOut: [{ name: 'broken', reason: 'It has no image.' }],
  lastError: any.textOrNull,
  createdAt: any.time,
};

export const templateCatalogueRows: Rows = [
  { call: 'templateCatalogue.all', gives: [catalogue] },
  {
    call: 'templateCatalogue.one',
    input: { templateCatalogueId: '<templateCatalogueId>' },
    gives: catalogue,
  },
  {
    call: 'templateCatalogue.create',
    input: { name: 'Etc', url: '/etc' },
    refused: 'BAD_REQUEST',
    field: 'url',
  },
  {
    call: 'templateCatalogue.create',
    input: { name: 'Out', url: 'https://git.example.com/a/b.git', folder: '../..' },
    refused: 'BAD_REQUEST',
    field: 'folder',
  },
  {
    call: 'templateCatalogue.update',
    input: { templateCatalogueId: '<templateCatalogueId>', branch: 'stable' },
    gives: { ...catalogue, branch: 'stable' },
  },
  {
    call: 'templateCatalogue.update',
    input: { templateCatalogueId: '<templateCatalogueId>', url: 'https://git.example.com/a/b.git' },
    refused: 'BAD_REQUEST',
    field: 'password',
  },
  {
    call: 'templateCatalogue.refresh',
    input: { templateCatalogueId: '<templateCatalogueId>' },
    refused: 'PRECONDITION_FAILED',
  },
  {
    call: 'templateCatalogue.remove',
    input: { templateCatalogueId: '<templateCatalogueId>' },
    gives: catalogue,
  },
];

export const metricsRows: Rows = [
  { call: 'metrics.prometheus', installation: true, gives: { text: any.text } },
  { call: 'metrics.prometheus', refused: 'FORBIDDEN' },
];
