/** Good answers held to the document that Berth serves, as a generated client reads it. */
import { z } from 'zod';
import { contracts } from '../../server/src/modules/contracts.ts';
import { listProcedures } from '../../server/src/procedure/describe/listing.ts';
import { createOpenapi } from '../../server/src/transport/openapi/openapi.ts';

/** What is used of an OpenAPI 3.1 document. */
const documentShape = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.unknown()) })),
  ),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

const goodAnswer = z.object({
  content: z.object({ 'application/json': z.object({ schema: z.record(z.string(), z.unknown()) }) }),
});

let known: ReadonlyMap<string, z.ZodType> | undefined;

/** The schemas of the document's good answers, by path. */
export function servedAnswers(): ReadonlyMap<string, z.ZodType> {
  known ??= answersOf(createOpenapi(listProcedures(contracts), 'any'));
  return known;
}

/** What a value of the procedure's good answer breaks of the document; undefined when it keeps to it. */
export function documentFault(path: string, value: unknown): string | undefined {
  const answers = servedAnswers();
  // A page has an address of its own in the document.
  const isPage = typeof value === 'object' && value !== null && 'nextCursor' in value;
  const schema = (isPage ? answers.get(`/api/${path}/page`) : undefined) ?? answers.get(`/api/${path}`);
  const parsed = schema?.safeParse(value);
  return parsed === undefined || parsed.success
    ? undefined
    : `is not what the document says: ${JSON.stringify(parsed.error.issues).slice(0, 300)}`;
}

/** By path. All are read at once, since each reading goes through the shared schemas. */
function answersOf(document: unknown): Map<string, z.ZodType> {
  const { paths, components } = documentShape.parse(
    JSON.parse(JSON.stringify(document).replaceAll('#/components/schemas/', '#/$defs/')),
  );
  const properties = Object.fromEntries(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.values(operations).flatMap(({ responses }) => {
        const good = goodAnswer.safeParse(responses['200']);
        return good.success ? [[path, good.data.content['application/json'].schema]] : [];
      }),
    ),
  );
  const all = z.fromJSONSchema({ $defs: components.schemas, type: 'object', properties } as Parameters<
    typeof z.fromJSONSchema
  >[0]);
  if (!(all instanceof z.ZodObject)) throw new TypeError('The answers of the document are no object.');
  return new Map(Object.entries(all.shape));
}
