import { IsOptional, Matches } from 'class-validator';
import { redisUrlFault } from '../redis-url.js';
import { TlsDto } from './tls.dto.js';
import { Check, Flag, Section, Text } from './rules.js';
import { isSecretRef, Secret, SecretRefDto, type TextOrSecret } from './secret-ref.dto.js';

/** A Redis ACL user; the password alone is the user `default`. */
class RedisLoginDto {
  @IsOptional()
  @Text(256)
  username?: string;

  @IsOptional()
  @Secret()
  password?: SecretRefDto;
}

export class RedisDto extends RedisLoginDto {
  @IsOptional()
  @Check('redisUrl', (url) => (isSecretRef(url) ? undefined : redisUrlFault(url)))
  url?: TextOrSecret;

  @Section(() => RedisLoginDto)
  sentinel?: RedisLoginDto;

  @Section(() => TlsDto)
  tls?: TlsDto;

  @IsOptional()
  @Matches(/^[^{}\s\p{C}]{1,64}$/u, {
    message: 'must be 1 to 64 characters without braces and spaces',
  })
  prefix?: string;

  @Flag()
  allowEviction?: boolean;
}
