/** Importing this registers every proof. */
import './admin.js';
import './card.js';
import './file.js';
import './http.js';
import './mcp.js';
import './push.js';
import './send.js';
import './stream.js';
import './task.js';
