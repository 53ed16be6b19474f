'use strict'
// One entry for each command: what it takes and what it answers.

const { existsSync } = require('node:fs')
const { Complaint } = require('./complaint.cjs')
const { json, text, manifest, project, startsNothing } = require('./npm.cjs')
const shape = require('./shape.cjs')

const name = /^(@[a-z0-9~_][a-z0-9._~-]*\/)?[A-Za-z0-9~_][A-Za-z0-9._~-]*$/
const version = /^[A-Za-z0-9._^~<>=|* +-]*$/

// named refuses whatever is no package name, such as an option, a path or an
// address that npm would fetch.
function named(word, { versioned = false } = {}) {
  const cut = word.indexOf('@', 1)
  const [id, range] = versioned && cut > 0 ? [word.slice(0, cut), word.slice(cut + 1)] : [word, '']
  if (!name.test(id) || id.length > 214 || !version.test(range)) throw new Complaint(`"${word}" is no package name`)
  return word
}

const limit = (most) => ({ limit: [1, most] })

module.exports = {
  doctor: {
    words: [0, 0], needs: 'no further words', options: {},
    run(npm) {
      const own = manifest()
      const lockfile = ['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock'].find((f) => existsSync(f)) || null
      return {
        node: process.version, npm: text(npm, ['--version']).stdout.trim(), lockfile, installed: existsSync('node_modules'),
        package: own && { name: own.name ?? null, version: own.version ?? null, private: own.private === true, workspaces: own.workspaces !== undefined, package_manager: own.packageManager ?? null },
      }
    },
  },
  ls: {
    words: [0, 1], needs: 'at most one package name', options: { depth: [0, 20], lock: 'switch', ...limit(1000) },
    run(npm, { word, depth = 0, lock, limit = 200 }) {
      project()
      const args = ['ls', `--depth=${depth}`]
      if (lock) args.push('--package-lock-only')
      if (word) args.push('--', named(word))
      return shape.tree(json(npm, args, word, ['ELSPROBLEMS']), limit)
    },
  },
  outdated: {
    words: [0, 1], needs: 'at most one package name', options: limit(500),
    run(npm, { word, limit = 100 }) {
      project()
      return shape.outdated(json(npm, word ? ['outdated', '--', named(word)] : ['outdated'], word), limit)
    },
  },
  view: {
    words: [1, 1], needs: 'a package, such as npm-hcp view express@4', options: {},
    run: (npm, { word }) => shape.view(json(npm, ['view', '--', named(word, { versioned: true })], word), word),
  },
  search: {
    words: [1, 1], needs: 'words to search for, as one argument', options: limit(100),
    run: (npm, { word, limit = 20 }) => shape.found(json(npm, ['search', `--searchlimit=${limit}`, '--', word], word), limit),
  },
  audit: {
    words: [0, 0], needs: 'no further words', options: { production: 'switch', ...limit(500) },
    run(npm, { production, limit = 50 }) {
      project()
      return shape.audit(json(npm, production ? ['audit', '--omit=dev'] : ['audit']), limit)
    },
  },
  explain: {
    words: [1, 1], needs: 'a package, such as npm-hcp explain lodash', options: limit(200),
    run(npm, { word, limit = 20 }) {
      return shape.reasons(json(npm, ['explain', '--', named(word, { versioned: true })], word), limit, project().name)
    },
  },
  'pkg.get': {
    words: [1, 1], needs: 'a field, such as npm-hcp pkg get engines.node', options: {},
    run(npm, { word }) {
      project()
      if (!/^[A-Za-z0-9_$@][A-Za-z0-9_$@.\/[\]-]*$/.test(word)) throw new Complaint(`"${word}" is no field of package.json`)
      const value = json(npm, ['pkg', 'get', '--', word], word)
      const absent = value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0
      return { field: word, found: !absent, value: absent ? null : value }
    },
  },
  scripts: {
    words: [0, 0], needs: 'no further words', options: {},
    run() {
      const own = project().scripts
      return { scripts: own && typeof own === 'object' ? Object.entries(own).map(([script, command]) => ({ script, command: String(command) })) : [] }
    },
  },
  'pack.files': {
    words: [0, 0], needs: 'no further words', options: limit(1000),
    run(npm, { limit = 200 }) {
      startsNothing(npm)
      return shape.contents(json(npm, ['pack', '--dry-run']), limit)
    },
  },
}
