/** Clean-ups, and the volumes that restores and upgrades left. */
import { any, type Rows } from '../row.ts';

const cleanup = { items: any.list, bytes: any.number, failures: [] };

export const cleanupRows: Rows = [
  { call: 'cleanup.preview', needs: 'engine', installation: true, gives: cleanup },
  { call: 'cleanup.preview', input: { serverId: '<foreign.serverId>' }, refused: 'FORBIDDEN' },
  { call: 'cleanup.run', needs: 'engine', installation: true, gives: cleanup },
  { call: 'cleanup.others', needs: 'engine', installation: true, gives: any.list },
  { call: 'cleanup.unknown', installation: true, gives: [] },
  { call: 'cleanup.unfinished', gives: [] },
  {
    call: 'cleanup.removeUnknown',
    installation: true,
    input: { name: 'nothing-of-this-name' },
    refused: 'NOT_FOUND',
  },
  { call: 'cleanup.giveUp', installation: true, input: { incarnationId: 'former' }, gives: true },
  { call: 'cleanup.formerVolumes', gives: [] },
  { call: 'cleanup.keptVolumes', needs: 'engine', gives: any.list },
  { call: 'cleanup.keptVolumes', input: { serverId: '<foreign.serverId>' }, refused: 'FORBIDDEN' },
  {
    call: 'cleanup.removeKeptVolume',
    needs: 'engine',
    input: { volumeName: 'berth-nothing-data' },
    refused: 'NOT_FOUND',
  },
];
