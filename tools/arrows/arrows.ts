/** Holds the import graph against the table in zones.ts. Every sentence names the cure. */
import { basename } from 'node:path';
import { cycles } from './cycles.ts';
import type { Edge, Graph } from './graph.ts';
import { exceptions, reservedPackages, shownFiles, zones, type Zone } from './zones.ts';

/**
 * One sentence per fault; empty when every arrow is allowed. A graph without files or imports is a fault:
 * then the check itself is blind.
 */
export function arrowFaults(graph: Graph): string[] {
  if (graph.files.length === 0 || graph.edges.length === 0)
    return ['The arrow check saw no file or no import, so it proves nothing. Mend tools/arrows/graph.ts.'];
  const known = new Set(graph.files);
  return [
    ...graph.files
      .filter((file) => zoneOf(file) === undefined)
      .map((file) => `${file} is in no zone. Move it into one, or add its folder to tools/arrows/zones.ts.`),
    ...graph.edges.flatMap((edge) => edgeFault(edge, known) ?? []),
    ...cycles(graph).map(
      (ring) => `These import each other: ${ring.join(' → ')}. Move what both need into a third file.`,
    ),
  ];
}

function edgeFault(edge: Edge, known: ReadonlySet<string>): string | undefined {
  const from = zoneOf(edge.from);
  if (from === undefined) return undefined;
  const where = `${edge.from}:${edge.line}`;
  if (edge.to === undefined) return packageFault(edge, from, where);
  if (!known.has(edge.to))
    return `${where} imports ${edge.to}, which does not exist. Relative imports end in .ts and name a file.`;
  if (edge.isReExport)
    return (
      `${where} passes on what ${edge.to} exports. Import it from there where it is needed; there are ` +
      'no barrels.'
    );
  const to = zoneOf(edge.to);
  if (to === undefined) return undefined;
  return zoneFault(edge, edge.to, from, to, where) ?? moduleFault(edge.from, edge.to, from, where);
}

function packageFault(edge: Edge, from: Zone, where: string): string | undefined {
  if (from.packages && !from.packages.test(edge.specifier))
    return (
      `${where} imports ${edge.specifier}; ${from.name} is pure and sees no such package. Take the ` +
      'value as an argument.'
    );
  if (from.sees === 'everything') return undefined;
  const reserved = reservedPackages.find(({ name }) => name.test(edge.specifier));
  return reserved && !reserved.zones.includes(from.name) && !reserved.files?.test(edge.from)
    ? `${where} imports ${edge.specifier}, which ${from.name} may not. ${reserved.cure}`
    : undefined;
}

function zoneFault(edge: Edge, target: string, from: Zone, to: Zone, where: string): string | undefined {
  if (from === to || from.sees === 'everything' || from.sees.includes(to.name)) return undefined;
  if (
    exceptions.some(
      (row) => row.from.test(edge.from) && row.to.test(target) && (edge.isType || !row.typesOnly),
    )
  )
    return undefined;
  return (
    `${where} imports ${target}: ${from.name} does not see ${to.name} (it sees ` +
    `${from.sees.join(', ') || 'nothing'}). ${to.cure}`
  );
}

/**
 * A module shows its <noun>.ts and its contract; the rest is its own (the composition and the tests may look
 * inside).
 */
function moduleFault(from: string, to: string, zone: Zone, where: string): string | undefined {
  const folder = moduleOf(to);
  if (zone.sees === 'everything' || folder === undefined || folder === moduleOf(from)) return undefined;
  const noun = basename(folder);
  if (
    zoneOf(to)?.name === 'contract' ||
    to === `${folder}/${noun}.ts` ||
    shownFiles.some(({ file }) => file.test(to))
  )
    return undefined;
  return (
    `${where} imports ${to}, which is ${noun}'s own. ` + `Go through ${folder}/${noun}.ts or its contract.ts.`
  );
}

/** The folder of the module that a file belongs to, at whatever depth. */
function moduleOf(file: string): string | undefined {
  return /^server\/src\/modules\/[^/]+(?=\/)/.exec(file)?.[0];
}

function zoneOf(file: string): Zone | undefined {
  return zones.find(({ files }) => files.test(file));
}
