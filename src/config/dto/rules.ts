import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';

// The building blocks of the configuration's classes. Every message ends the sentence that starts
// with the place of the fault; none repeats a value, which could be a secret.

type Class = new () => object;

/** An optional mapping, checked by a class of its own. */
export const Section = (type: () => Class): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    IsObject({ message: 'must be a mapping' }),
    ValidateNested({ message: 'must be a mapping' }),
    Type(type),
  );

/** An optional list of mappings, each checked by a class of its own. */
export const List = (type: () => Class): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    IsArray({ message: 'must be a list' }),
    ValidateNested({ each: true, message: 'must be a mapping' }),
    Type(type),
  );

/** An optional whole number between two bounds, both allowed. */
export const Whole = (min: number, max: number): PropertyDecorator => {
  const message = `must be a whole number, ${min} to ${max}`;
  return applyDecorators(
    IsOptional(),
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
};

export const Port = (): PropertyDecorator => Whole(0, 65_535);

export const Flag = (): PropertyDecorator =>
  applyDecorators(IsOptional(), IsBoolean({ message: 'must be true or false' }));

/** A text of bounded length; required. */
export const Text = (max: number): PropertyDecorator => {
  const message = `must be a text of 1 to ${max} characters`;
  return applyDecorators(IsString({ message }), Length(1, max, { message }));
};

/** The path of a file that is read by whoever needs what is in it. */
export const FilePath = (): PropertyDecorator =>
  Check('filePath', (value) =>
    typeof value === 'string' && value !== '' && value.length <= 4096
      ? undefined
      : 'must be the path of a file',
  );

export const OneOf = (values: readonly string[]): PropertyDecorator =>
  IsIn(values, { message: `must be one of ${values.join(', ')}` });

/** An optional value that is checked where it is built, because its faults have places inside it. */
export const Anything = (): PropertyDecorator => IsOptional();

/** A rule of our own; `fault` says what is wrong with a value, or nothing. */
export const Check = (
  name: string,
  fault: (value: unknown) => string | undefined,
): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => fault(value) === undefined,
      defaultMessage: (args) => fault(args?.value) ?? '',
    },
  });

export const HttpUrl = (): PropertyDecorator => Check('httpUrl', httpUrlFault);

export function httpUrlFault(value: unknown): string | undefined {
  const message = 'must be an http:// or https:// URL';
  if (typeof value !== 'string' || !URL.canParse(value)) return message;
  const url = new URL(value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return message;
  if (url.username !== '' || url.password !== '') return 'must not hold a user or a password';
  return url.search === '' && url.hash === '' ? undefined : 'must not hold a query or a fragment';
}

export const Cidr = (): PropertyDecorator => Check('cidrs', cidrsFault);

export function cidrsFault(value: unknown): string | undefined {
  return Array.isArray(value) && value.every((entry) => isCidr(entry))
    ? undefined
    : 'must be a list of IP addresses or CIDR ranges';
}

/** Host names as they stand in a URL, and addresses or ranges of them. */
export function hostsFault(value: unknown): string | undefined {
  const fine = (entry: unknown): boolean =>
    isCidr(entry) ||
    (typeof entry === 'string' && /^[a-z0-9]([a-z0-9.-]{0,252}[a-z0-9])?$/.test(entry));
  return Array.isArray(value) && value.every(fine)
    ? undefined
    : 'must be a list of lower-case host names, IP addresses or CIDR ranges';
}

function isCidr(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  );
}
