/** Mail by SMTP. */
import type { Secret } from '../domain/secrets/secret.ts';
import type { OutgoingBy } from './outgoing.ts';

export interface MailServer {
  host: string;
  port: number;
  /** `tls`: from the first byte; `starttls`: required before anything is said; `none`: in the open. */
  security: 'tls' | 'starttls' | 'none';
  username: string | undefined;
  password: Secret | undefined;
}

export interface Mail {
  from: string;
  to: readonly string[];
  subject: string;
  text: string;
  /** Makes its Message-ID: the same id is the same mail. */
  id: string;
}

export interface Mailer {
  /**
   * Hands the mail over to the server, whose address is judged first; throws an AppError: what the judge
   * throws, SERVICE_UNAVAILABLE when the server does not answer or refuses for now, PRECONDITION_FAILED when
   * it refuses for good.
   */
  send(server: MailServer, mail: Mail, by: OutgoingBy): Promise<void>;
}
