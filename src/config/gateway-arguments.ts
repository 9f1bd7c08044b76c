import { parseArgs } from 'node:util';
import { ConfigError } from './config-error.js';
import { reasonOf } from './reason-of.js';

/**
 * The command line of a single gateway: `--config FILE`, or nothing. Whatever else it says must not
 * be passed over: the gateway would run with another configuration than the one that was meant.
 * @throws ConfigError
 */
export function gatewayArguments(args: readonly string[]): { readonly file?: string } {
  try {
    const { values } = parseArgs({ args: [...args], options: { config: { type: 'string' } } });
    return values.config === undefined ? {} : { file: values.config };
  } catch (error) {
    const reason = reasonOf(error);
    throw new ConfigError([`the command line: ${reason}`]);
  }
}
