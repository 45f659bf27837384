/** `node tools/house/width-report.ts`: how wide our lines are. */
import { join } from 'node:path';
import { linesOf, widthAt } from './width.ts';

const lines = await linesOf(join(import.meta.dirname, '../..'));
const widths = [50, 90, 99, 100].map((percent) => `p${percent} ${widthAt(percent, lines)}`);
process.stdout.write(`${lines.length} lines; columns: ${widths.join(', ')}\n`);
