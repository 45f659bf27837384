/**
 * Loaded beside Berth (`node --import`) where bin/up starts it itself: no journal bounds the log files of
 * such a machine.
 */
import { boundLog } from './bound-log.ts';
import { layoutOf } from '../layout.ts';
import { dataFolder } from '../settings/settings.ts';

const limitBytes = 10 * 1024 * 1024;
const everyMs = 60_000;

const layout = layoutOf(dataFolder(process.env));

setInterval(() => {
  for (const file of [layout.berthLog, layout.engineLog]) boundLog(file, limitBytes);
}, everyMs).unref();
