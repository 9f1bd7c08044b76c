import { Module } from '@nestjs/common';
import { StoreModule } from '../store/store.module.js';
import { StreamHub } from './hub.js';

@Module({ imports: [StoreModule], providers: [StreamHub], exports: [StreamHub] })
export class StreamsModule {}
