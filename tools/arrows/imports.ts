/** What one file imports: statements, re-exports, dynamic imports and types written as `import('…')`. */
import { parseSync, Visitor } from 'oxc-parser';

export interface Import {
  /** As written. */
  specifier: string;
  line: number;
  /** Only types come over, so that nothing of it is loaded. */
  isType: boolean;
  isReExport: boolean;
}

/** @throws Error when the file does not parse. */
export function importsOf(path: string, source: string): Import[] {
  const { module, program, errors } = parseSync(path, source);
  const [fault] = errors;
  if (fault) throw new Error(`${path} does not parse: ${fault.message}`);
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length;
  const imports: Import[] = [];
  for (const { start, moduleRequest, entries } of module.staticImports) {
    imports.push({
      specifier: moduleRequest.value,
      line: lineAt(start),
      isType: entries.length > 0 && entries.every(({ isType }) => isType),
      isReExport: false,
    });
  }
  for (const { start, entries } of module.staticExports) {
    for (const { moduleRequest, isType } of entries) {
      if (moduleRequest)
        imports.push({ specifier: moduleRequest.value, line: lineAt(start), isType, isReExport: true });
    }
  }
  if (source.includes('import(')) imports.push(...writtenAsCalls(program, lineAt));
  return imports;
}

function writtenAsCalls(
  program: Parameters<Visitor['visit']>[0],
  lineAt: (offset: number) => number,
): Import[] {
  const imports: Import[] = [];
  new Visitor({
    ImportExpression: ({ source, start }) => {
      const specifier =
        source.type === 'Literal' && typeof source.value === 'string' ? source.value : '(computed)';
      imports.push({ specifier, line: lineAt(start), isType: false, isReExport: false });
    },
    TSImportType: ({ source, start }) =>
      imports.push({ specifier: source.value, line: lineAt(start), isType: true, isReExport: false }),
  }).visit(program);
  return imports;
}
