/** Rules that no single call shows: the file that proves each. */
import type { DocumentedRule } from './documented-rules.ts';

export const rulesOfOthers: Partial<Record<DocumentedRule, string>> = {
  'form A wraps, form B is bare': 'every row runs under both forms',
  'queries are GET, mutations POST, the other verb is 405': 'test/conformance/fields.interface.test.ts',
  'query parameters are coerced to their types': 'test/clients/curl.interface.test.ts',
  'a json envelope is accepted and given back under form A': 'test/conformance/fields.interface.test.ts',
  'the error envelope has message, code and data.httpStatus': 'every refused row',
  'form B repeats message and code at the top': 'every refused row',
  'a tRPC client gets numeric codes': 'test/clients/trpc.interface.test.ts',
  'a batch answers an array, 200, the common status or 207': 'server/src/transport/forms.test.ts',
  'a batch holds 50 calls': 'server/src/transport/forms.test.ts',
  'malformed, empty and poisoned bodies get our envelope': 'server/src/transport/forms.test.ts',
  'an empty body is {} where nothing is required': 'server/src/transport/forms.test.ts',
  'a body is at most 1 MiB': 'server/src/transport/forms.test.ts',
  'another content type is 415': 'server/src/transport/forms.test.ts',
  'a field of the wrong type is 400 with its name': 'test/conformance/fields.interface.test.ts',
  'health, OpenAPI document and reference need no login': 'test/clients/curl.interface.test.ts',
  'an unknown procedure is 404': 'test/clients/curl.interface.test.ts',
  'key, bearer and cookie are accepted everywhere': 'server/src/transport/entrance/credentials.test.ts',
  'a missing, invalid, expired or deleted key is 401': 'test/access/matrix.interface.test.ts',
  'a bad key is 401 beside a good cookie': 'server/src/transport/entrance/credentials.test.ts',
  'an empty bearer counts as absent': 'server/src/transport/entrance/credentials.test.ts',
  'a change with a cookie needs an Origin of this address':
    'server/src/transport/entrance/credentials.test.ts',
  'sign-up is open until the first user': 'server/src/transport/entrance/credentials.test.ts',
  'rateLimitMax requests in a window, then 429 with Retry-After':
    'server/src/modules/user/count-request.store.test.ts',
  'remaining is a budget; empty without refill is 429 without Retry-After':
    'server/src/modules/user/count-request.store.test.ts',
  'serverId is required in cloud mode': 'test/access/servers.interface.test.ts',
  "replicaSets is mongo's": 'test/conformance/rows/database.ts, in every row of a kind',
  'Swarm not available': 'test/integration/engine/view.test.ts',
};
