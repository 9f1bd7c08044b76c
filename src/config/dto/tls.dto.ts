import { IsOptional } from 'class-validator';
import { Text } from './rules.js';
import { Secret, type SecretRefDto } from './secret-ref.dto.js';

/** Whom a connection trusts, and what it shows; PEM texts by reference. */
export class TlsDto {
  @IsOptional()
  @Secret()
  ca?: SecretRefDto;

  @IsOptional()
  @Secret()
  cert?: SecretRefDto;

  @IsOptional()
  @Secret()
  key?: SecretRefDto;

  @IsOptional()
  @Text(255)
  serverName?: string;
}
