import { Check } from './rules.js';

const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
const ORIGIN = /^https?:\/\/[^/]+$/i;

/** DNS names, IPv4 addresses, IPv6 addresses in brackets; each may have a port. */
export const HostNames = (): PropertyDecorator =>
  Check('hostNames', (value) =>
    isListOf(value, (host) => HOST.test(host))
      ? undefined
      : 'must be a list of host names, each with or without a port',
  );

/** Origins as a browser sends them: scheme, host and port, nothing behind. */
export const Origins = (): PropertyDecorator =>
  Check('origins', (value) =>
    isListOf(value, isOrigin)
      ? undefined
      : 'must be a list of origins such as https://console.example.com',
  );

function isOrigin(value: string): boolean {
  return ORIGIN.test(value) && URL.canParse(value) && !/[@?#*]/.test(value);
}

function isListOf(value: unknown, test: (entry: string) => boolean): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string' && test(entry));
}
