/** Variables as the server reads them, for programs that edit their text. */
import { parseEnvLines } from '../server/src/domain/variables/dotenv.ts';

/** A line of the text, or the several of a value in quotes. */
export interface EnvLine {
  text: string;
  /** Undefined for a comment and an empty line. */
  variable: { name: string; value: string } | undefined;
}

/** Throws an error whose message ends with the line that is not understood and why. */
export const envLines = (text: string): EnvLine[] => parseEnvLines(text, '');
