/** The domain below which services are named, as every input has it. Pure. */
import { z } from 'zod';
import { parseBaseDomain } from '../../domain/routing/base-domain.ts';
import { ruled } from '../../procedure/input/ruled.ts';

export const baseDomainName = ruled(z.string().max(1024, { abort: true }), parseBaseDomain);

/** Of a project. */
export const projectBaseDomain = baseDomainName.nullable().meta({
  description:
    'Domain below which services of the project are named, before those of their server and of the ' +
    'installation, such as shop.example.com: the DNS record of *.shop.example.com must lead to the server ' +
    'of the services. Its wildcard certificate is ordered where a DNS provider of the organization ' +
    'serves the zone. For Owners and Admins. null: none of its own',
  examples: [null],
});

/** Of a server. */
export const serverBaseDomain = baseDomainName.nullable().meta({
  description:
    'Domain below which services on the server are named whose project has none of its own, such as ' +
    'edge.example.com: the DNS record of *.edge.example.com must lead to the server. Its wildcard ' +
    'certificate is ordered where a DNS provider of the organization serves the zone. null: test names ' +
    'of sslip.io',
  examples: [null],
});
