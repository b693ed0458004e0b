#!/usr/bin/env node
// Committed and executable, so that npm can link it before the first build.
import '../dist/bundle/cli/main.js';
