/** A program or a shell in a running container of a service (decisions 16): what opening one takes. */
import { z } from 'zod';
import { programGrant } from '../../domain/access/permissions.ts';
import { subscription } from '../../procedure/procedure.ts';
import { argument, id, line } from '../service/contract-fields.ts';

const characters = z.number().int().min(1).max(1000);

function checkOwner(
  {
    serviceId,
    previewDeploymentId,
  }: { serviceId?: string | undefined; previewDeploymentId?: string | undefined },
  context: z.RefinementCtx,
): void {
  const fault = (field: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [field], message });
  if (serviceId === undefined && previewDeploymentId === undefined)
    fault('serviceId', 'is required, or previewDeploymentId');
  if (serviceId !== undefined && previewDeploymentId !== undefined)
    fault('previewDeploymentId', 'names another service beside serviceId');
}

/** What the two sides send each other; the guide docs/guide/terminal.md says the same for people. */
const protocol = `A WebSocket (RFC 6455). The query parameters say what is opened. A handshake without
Origin (a program's, with an API key) is refused with an HTTP status and the usual error; one whose Origin
is not this address is refused with 403 whatever it carries. A browser cannot read such an answer, so with
an Origin of ours the socket is opened and the refusal comes in it: one \`end\` with the reason
\`refused\`, then the close code 4000 + the HTTP status (4401, 4403, 4404, 4412, 4429 and so on).

Binary frames of the client are bytes for the program, cut anywhere. Binary frames of the server are one
byte, 1 for standard output (of a terminal: everything) or 2 for standard error, and then bytes of the
program, cut anywhere, also within a character.

Text frames are JSON. From the client: \`{"type":"resize","columns":120,"rows":40}\`;
\`{"type":"endInput"}\`: the program reads the end of its input; \`{"type":"ack","bytes":4096}\`: so many
bytes of output are drawn. With the parameter \`window\` the server sends at most so many bytes ahead of
these, so that a busy program cannot flood a browser; without it TCP alone holds it back. From the server,
first: \`{"type":"opened","serviceName":…,"task":…,"containerId":…,"command":[…]}\`; last, before it
closes: \`{"type":"end","reason":…,"message":…,"exitCode":…}\`. Reasons and close codes: \`exited\` 1000
(exitCode is the program's), \`containerEnded\` 1000, \`idle\` 1000, \`stopped\` 1001 (Berth stops;
connect again), \`accessLost\` 1008 (session, key, membership or grant ended), \`badFrame\` 1003,
\`unanswered\` (no pong for 60 s), \`failed\` 1011, \`refused\` 4000 + status (with \`code\`).

When the connection ends before the program, the program is hung up (SIGHUP), as by a closed terminal.`;

const forwardProtocol = `A WebSocket (RFC 6455) is one connection to the port; refusals, idle time and close
codes are those of terminal.open. Binary frames are bytes, both ways; those of the server begin with a byte
that is 1. Text frames are JSON: from the client \`{"type":"endInput"}\` (nothing more is sent) and
\`{"type":"ack","bytes":4096}\`, from the server \`opened\` first and \`end\` last, with the reason
\`exited\` when the connection was closed by the service; exitCode is then 0, and 1 where nothing accepted
it, with the reason in frames that begin with a byte that is 2. The service sees the connection come from its
own container's address, so it asks for the password that it asks of any other.`;

const reach = {
  serviceId: id.optional().describe('An application, a database or a compose service'),
  previewDeploymentId: id.optional(),
  serviceName: line(100).optional().describe('Of a compose service: a service of its file'),
  task: id.optional().describe('Id of one of its running tasks; default: the newest'),
};
const reached = [
  { kind: 'service', field: 'serviceId' },
  { kind: 'previewDeployment', field: 'previewDeploymentId' },
] as const;
const window = z
  .number()
  .int()
  .min(4096)
  .max(16 * 1024 * 1024)
  .optional()
  .describe('Bytes of output that may be on their way unacknowledged');
/** Text of which a single line end is a space, and an empty line a paragraph. */
const flowing = (text: string): string => text.replaceAll(/(?<!\n)\n(?!\n)/g, ' ');

export const terminalContract = {
  open: subscription({
    summary: 'A program or a shell in a running container of a service, by WebSocket',
    description: flowing(protocol),
    access: {
      class: 'protected',
      grant: programGrant,
      action: 'open',
      resources: reached,
    },
    changes: true,
    input: z
      .object({
        ...reach,
        command: z
          .array(argument)
          .min(1)
          .max(200)
          .optional()
          .describe('Program and arguments, one parameter each; default: bash, or sh where there is none'),
        terminal: z
          .boolean()
          .default(true)
          .describe('false: pipes in place of a terminal, with standard error apart'),
        columns: characters.default(80),
        rows: characters.default(24),
        window,
      })
      .superRefine(checkOwner),
    output: z.object({}),
    refusals: ['BAD_REQUEST', 'CONFLICT', 'NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
  forward: subscription({
    summary: 'A connection to a port of a running container of a service, by WebSocket',
    description: flowing(forwardProtocol),
    access: { class: 'protected', grant: 'canForwardPorts', action: 'forward', resources: reached },
    changes: true,
    input: z
      .object({
        ...reach,
        port: z.number().int().min(1).max(65_535).describe('Where the service listens in its container'),
        window,
      })
      .superRefine(checkOwner),
    output: z.object({}),
    refusals: ['BAD_REQUEST', 'CONFLICT', 'NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  }),
};

export type ForwardInput = z.output<(typeof terminalContract.forward)['input']>;
export type TerminalInput = z.output<(typeof terminalContract.open)['input']>;
