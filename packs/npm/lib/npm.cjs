'use strict'
// Runs npm and reads its JSON. npm ends with code 1 whenever it found something,
// so the code says nothing: an answer is JSON without an "error" member, or with
// one that only repeats the findings.

const { spawnSync } = require('node:child_process')
const { readFileSync } = require('node:fs')
const { dirname, delimiter } = require('node:path')
const { Complaint, explain } = require('./complaint.cjs')

// Settings that a project's .npmrc cannot override: no script runs, the answer is
// plain JSON, and an unreachable registry is given up soon.
const settings = {
  color: 'false', fetch_retries: '1', fetch_retry_mintimeout: '1000', fetch_timeout: '30000', fund: 'false', ignore_scripts: 'true', json: 'true',
  logs_max: '0', loglevel: 'error', progress: 'false', update_notifier: 'false',
}

const kept = ['HOME', 'TMPDIR', 'TEMP', 'TMP', 'LANG', 'LC_ALL', 'SystemRoot', 'USERPROFILE', 'APPDATA', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY',
  'http_proxy', 'https_proxy', 'no_proxy', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

function environment() {
  const env = { PATH: dirname(process.execPath) + delimiter + (process.env.PATH || ''), NO_UPDATE_NOTIFIER: '1' }
  for (const name of kept) if (process.env[name] !== undefined) env[name] = process.env[name]
  for (const [name, value] of Object.entries(settings)) env[`npm_config_${name}`] = value
  return env
}

function text(npm, args) {
  const { error, stdout, stderr } = spawnSync(npm, args, { encoding: 'utf8', env: environment(), maxBuffer: 256 << 20, stdio: ['ignore', 'pipe', 'pipe'] })
  if (error) throw new Complaint(`npm could not run: ${error.code || error.message}`)
  return { stdout, stderr }
}

// json runs npm and returns its answer. `subject` is what complaints name, and
// `expected` the codes of "errors" that come with a full answer.
function json(npm, args, subject, expected = []) {
  const { stdout, stderr } = text(npm, args)
  let answer
  try {
    answer = stdout.trim() === '' ? {} : JSON.parse(stdout)
  } catch {
    const line = (stderr + stdout).split('\n').find((l) => l.trim() !== '') || 'npm answered with something else than JSON'
    throw new Complaint(line.replace(/^npm (error|ERR!) /, ''))
  }
  if (answer && typeof answer.error === 'object' && answer.error !== null) {
    if (!expected.includes(answer.error.code)) throw explain(answer.error, subject)
    delete answer.error
  }
  return answer
}

// manifest reads the project's package.json, or returns null.
function manifest() {
  let bytes
  try {
    bytes = readFileSync('package.json', 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw new Complaint(`package.json cannot be read: ${error.code}`)
  }
  try {
    const value = JSON.parse(bytes.replace(/^\uFEFF/, ''))
    if (value && typeof value === 'object' && !Array.isArray(value)) return value
  } catch {
    // said below
  }
  throw new Complaint('package.json is no valid JSON')
}

function project() {
  const value = manifest()
  if (value === null) throw new Complaint('there is no package.json in this directory')
  return value
}

// startsNothing refuses where npm would run the project's "prepare", which those before
// 11 do for a list of files whatever ignore-scripts says.
function startsNothing(npm) {
  if (!project().scripts?.prepare) return
  const version = text(npm, ['--version']).stdout.trim()
  if (!(Number.parseInt(version, 10) >= 11)) {
    throw new Complaint(`npm ${version} would run the "prepare" script of this project to list its files; npm 11 and newer do not`)
  }
}

module.exports = { json, text, manifest, project, startsNothing }
