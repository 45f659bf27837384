/** The interface as tools for assistants: of each router one that reads and one that changes. */
import { classRule, programGrant } from '../../server/src/domain/access/permissions.ts';
import { databaseKindNames } from '../../server/src/domain/database-kind.ts';
import { contracts } from '../../server/src/modules/contracts.ts';
import {
  describeRules,
  describeType,
  propertiesOf,
} from '../../server/src/procedure/describe/describe-type.ts';
import { pageInput } from '../../server/src/procedure/input/page.ts';
import { reachingFields } from '../../server/src/procedure/host-reach.ts';
import { grantsOf, isRead } from '../../server/src/procedure/procedure.ts';
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
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean };
}

export interface ToolCall {
  named: NamedProcedure;
  isChange: boolean;
}

/** The tool that describes the input of one procedure in full; the lists of the others are short. */
export const inputTool: Tool = {
  name: 'procedure_input',
  description:
    'Describes the input of a procedure in full: every field with its type and its rules. The lists of the ' +
    'other tools name optional fields only.',
  inputSchema: {
    type: 'object',
    properties: { procedure: { type: 'string', description: 'Such as application.update' } },
    required: ['procedure'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};

/** Whatever removes, and whatever puts other data in place of the present. */
const final = /^(delete|remove|clear|leave|restore|reset|revoke)/;

/**
 * Why a person is asked before this call is made; undefined where nobody is. Decided by what the contract
 * says of the procedure (its class, what it reaches, what it lets run), and not only by its name: a text
 * that an assistant read may have told it to.
 */
export function confirmationOf({ named, isChange }: ToolCall, input: unknown): string | undefined {
  const { access } = named.procedure;
  if (grantsOf(access).includes(programGrant)) return 'It runs a program.';
  if (!isChange) return undefined;
  const [, name = ''] = named.path.split('.');
  if (final.test(name)) return 'It removes or replaces what is there, which cannot be taken back.';
  if (access.class !== 'protected')
    return (
      `It is for ${classRule(access.class).words}: it gives power, opens ways in or out, or concerns more ` +
      'than one service.'
    );
  if (access.decidesHostReach) return 'What it saves may reach the machine itself.';
  const [reaching] = reachingFields(access.hostReach ?? [], input);
  if (reaching) return `${reaching.field} reaches the machine itself.`;
  return undefined;
}

/** Whether a call of the procedure can ask a person, whatever its input. */
function mayAsk(call: ToolCall): boolean {
  const { access } = call.named.procedure;
  return (call.isChange && access.hostReach !== undefined) || confirmationOf(call, {}) !== undefined;
}

function callOf(named: NamedProcedure): ToolCall {
  return { named, isChange: !isRead(named.procedure) };
}

/** Files are sent by `berth deploy`; what needs a session is for people. */
const calls = listProcedures(contracts)
  .filter(({ procedure }) => procedure.kind !== 'upload' && !procedure.access.sessionOnly)
  .map(callOf);

/** The kinds of database have the same procedures: one tool stands for all of them. */
const groupOf = ({ router }: NamedProcedure): string =>
  databaseKindNames.some((kind) => kind === router) ? 'database' : router;

const nameOf = ({ named, isChange }: ToolCall): string => `${groupOf(named)}_${isChange ? 'change' : 'read'}`;

/** Sorted by name; those that change something only where they are asked for. */
export function toolsOf(mayWrite: boolean): Tool[] {
  const shown = calls.filter(({ isChange }) => mayWrite || !isChange);
  const tools = [...Map.groupBy(shown, nameOf)].map(([name, own]) => toolOf(name, own));
  return [...tools, inputTool].toSorted(({ name: one }, { name: other }) => (one < other ? -1 : 1));
}

function toolOf(name: string, own: readonly ToolCall[]): Tool {
  const isChange = own.some((one) => one.isChange);
  const [first] = own;
  // Of databases those of the first kind stand for the others.
  const listed = own.filter(({ named }) => named.router === first?.named.router);
  const others = own.filter((one) => !listed.includes(one));
  const lines = listed.map((one) => lineOf(one));
  const same = [...new Set(others.map(({ named }) => named.router))];
  return {
    name,
    description:
      `${isChange ? 'Changes' : 'Reads'} of Berth:\n` +
      `${lines.join('\n')}${same.length === 0 ? '' : `\nThe same with ${same.join(', ')} in its place.`}`,
    inputSchema: {
      type: 'object',
      properties: { procedure: { type: 'string' }, input: { type: 'object' } },
      required: ['procedure'],
      additionalProperties: false,
    },
    annotations: isChange
      ? { readOnlyHint: false, destructiveHint: own.some(mayAsk) }
      : { readOnlyHint: true },
  };
}

/** So many optional fields are named; `procedure_input` has the rest. */
const mostOptional = 8;

/** Required fields, with their types unless they are strings, and the others by name. */
function lineOf(call: ToolCall): string {
  const { path, procedure } = call.named;
  const fields = propertiesOf(inlineSchemaOf(procedure.input, 'input'));
  const needed = fields.filter(({ required }) => required);
  const others = fields.filter(({ name, required }) => !required && !Object.hasOwn(pageInput, name));
  const shown = [
    ...needed.map(({ name, schema }) => {
      const type = describeType(schema);
      return type === 'string' ? name : `${name}: ${type}`;
    }),
    ...others.slice(0, mostOptional).map(({ name }) => `${name}?`),
    ...(others.length > mostOptional ? ['…'] : []),
  ];
  return `- ${path}${mayAsk(call) ? '!' : ''} {${shown.join(', ')}}: ${procedure.summary}`;
}

/** The procedures of a tool. */
export const proceduresOf = (tool: string): string[] =>
  calls.filter((one) => nameOf(one) === tool).map(({ named }) => named.path);

/** The input of a procedure in full; undefined for one that is not there. */
export function describeInput(procedure: unknown, mayWrite: boolean): string | undefined {
  const found = calls.find(({ named, isChange }) => named.path === procedure && (mayWrite || !isChange));
  if (!found) return undefined;
  const { path, procedure: own } = found.named;
  const fields = propertiesOf(inlineSchemaOf(own.input, 'input')).map(({ name, required, schema }) => {
    const rules = describeRules(schema);
    return `- ${name}${required ? '' : '?'}: ${describeType(schema)}${rules === '' ? '' : ` (${rules})`}`;
  });
  return [
    `${path}: ${own.summary}.`,
    ...(own.description === undefined ? [] : [own.description]),
    ...fields,
  ].join('\n');
}

/** The call that a tool's arguments mean; undefined where the tool has no such procedure. */
export function findCall(tool: string, procedure: unknown): ToolCall | undefined {
  return calls.find((one) => one.named.path === procedure && nameOf(one) === tool);
}
