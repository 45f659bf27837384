/** The interface as tools for assistants: of each router one that reads and one that changes. */
import { contracts } from '../../server/src/modules/contracts.ts';
import { describeType } from '../../server/src/procedure/describe/describe-type.ts';
import { inlineSchemaOf } from '../../server/src/procedure/describe/json-schema.ts';
import { listProcedures, type NamedProcedure } from '../../server/src/procedure/describe/listing.ts';

export interface Tool {
  name: string;
  description: string;
  inputSchema: {
    type: 'object';
    properties: Record<string, object>;
    required: string[];
    additionalProperties: false;
  };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean };
}

export interface ToolCall {
  named: NamedProcedure;
  isChange: boolean;
  /** What it removes is gone. */
  isDestroying: boolean;
}

/** What cannot be taken back: whatever removes, and what puts other data in place of the present. */
const destroying = /^(delete|remove|clear|leave|restore|reset|revoke)/;

function callOf(named: NamedProcedure): ToolCall {
  const { kind, changes } = named.procedure;
  const isChange = kind === 'mutation' || changes === true;
  const [, name = ''] = named.path.split('.');
  return { named, isChange, isDestroying: isChange && destroying.test(name) };
}

/** Files are sent by `berth deploy`; what needs a session is for people. */
const calls = listProcedures(contracts)
  .filter(({ procedure }) => procedure.kind !== 'upload' && !procedure.access.sessionOnly)
  .map(callOf);

const nameOf = ({ named, isChange }: ToolCall): string => `${named.router}_${isChange ? 'change' : 'read'}`;

/** Sorted by name; those that change something only where they are asked for. */
export function toolsOf(mayWrite: boolean): Tool[] {
  const shown = calls.filter(({ isChange }) => mayWrite || !isChange);
  return [...Map.groupBy(shown, nameOf)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, own]) => toolOf(name, own));
}

function toolOf(name: string, own: readonly ToolCall[]): Tool {
  const isChange = own.some((one) => one.isChange);
  const lines = own.map(({ named: { path, procedure }, isDestroying }) => {
    const note = isDestroying ? ' A person is asked first.' : '';
    const input = describeType(inlineSchemaOf(procedure.input, 'input'));
    return `- ${path}: ${procedure.summary}.${note} Input: ${input}`;
  });
  return {
    name,
    description: `${isChange ? 'Changes' : 'Reads'} of Berth. Procedures:\n${lines.join('\n')}`,
    inputSchema: {
      type: 'object',
      properties: {
        procedure: { type: 'string', enum: own.map(({ named }) => named.path) },
        input: { type: 'object', description: 'Input of the procedure, as its description says' },
      },
      required: ['procedure'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: !isChange, destructiveHint: own.some((one) => one.isDestroying) },
  };
}

/** The call that a tool's arguments mean; undefined where the tool has no such procedure. */
export function findCall(tool: string, procedure: unknown): ToolCall | undefined {
  return calls.find((one) => one.named.path === procedure && nameOf(one) === tool);
}
