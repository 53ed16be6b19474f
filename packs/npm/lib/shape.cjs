'use strict'
// Turns npm's answers into bounded ones with stable names. Pure functions.

const { Complaint } = require('./complaint.cjs')

const here = process.cwd()
const local = (text) => String(text).split(`${here}/`).join('').split(here).join('.')
const short = (text, most = 300) => (typeof text === 'string' ? (text.length > most ? `${text.slice(0, most)}…` : text) : null)
const listed = (items, limit) => [items.slice(0, limit), items.length > limit]
const address = (value) => (typeof value === 'string' ? value : value && typeof value.url === 'string' ? value.url : null)

// tree flattens npm ls: every package with the chain of names that leads to it.
function tree(root, limit) {
  const packages = []
  const walk = (node, chain) => {
    for (const [name, child] of Object.entries(node.dependencies || {})) {
      const item = { name, version: child.version ?? null, chain }
      if (child.missing) item.missing = true
      if (child.required !== undefined && child.missing) item.required = child.required
      if (child.invalid) item.invalid = child.invalid
      if (child.extraneous) item.extraneous = true
      packages.push(item)
      walk(child, [...chain, name])
    }
  }
  walk(root, [])
  const [shown, truncated] = listed(packages, limit)
  const [problems] = listed((root.problems || []).map(local), 50)
  return { name: root.name ?? null, version: root.version ?? null, sound: (root.problems || []).length === 0, count: packages.length, packages: shown, problems, truncated }
}

function outdated(answer, limit) {
  const packages = []
  for (const [name, entries] of Object.entries(answer)) {
    for (const entry of [].concat(entries)) {
      packages.push({ name, current: entry.current ?? null, wanted: entry.wanted ?? null, latest: entry.latest ?? null, dependent: entry.dependent ?? null })
    }
  }
  const [shown, truncated] = listed(packages, limit)
  return { count: packages.length, packages: shown, truncated }
}

// precedence compares two versions as semver.org orders them: numbers as
// numbers, and a pre-release before its release.
function precedence(a, b) {
  const [left, right] = [a, b].map((text) => /^(\d+)\.(\d+)\.(\d+)(?:-([^+]*))?/.exec(text || '') || ['', '0', '0', '0', '0'])
  for (const i of [1, 2, 3]) if (+left[i] !== +right[i]) return left[i] - right[i]
  if (!left[4] || !right[4]) return (left[4] ? 0 : 1) - (right[4] ? 0 : 1)
  const [ours, theirs] = [left[4].split('.'), right[4].split('.')]
  for (let i = 0; i < ours.length && i < theirs.length; i++) {
    if (ours[i] === theirs[i]) continue
    const [n, m] = [ours[i], theirs[i]].map((part) => (/^\d+$/.test(part) ? +part : NaN))
    if (!Number.isNaN(n) && !Number.isNaN(m)) return n - m
    if (Number.isNaN(n) !== Number.isNaN(m)) return Number.isNaN(n) ? 1 : -1
    return ours[i] < theirs[i] ? -1 : 1
  }
  return ours.length - theirs.length
}

// chosen is the one of several versions that an installation would take: the
// one tagged latest, else the highest. npm lists them in the order of the registry.
function chosen(answers) {
  const latest = answers.find((one) => one && one['dist-tags'] && one['dist-tags'].latest === one.version)
  return latest || [...answers].sort((a, b) => precedence(a && a.version, b && b.version)).pop()
}

function view(answer, word) {
  const one = Array.isArray(answer) ? chosen(answer) : answer
  if (!one || typeof one.name !== 'string') throw new Complaint(`the registry has no version that matches "${word}"`)
  const versions = [].concat(one.versions || [])
  return {
    name: one.name, version: one.version ?? null, description: short(one.description), license: typeof one.license === 'string' ? one.license : null,
    homepage: one.homepage ?? null, repository: address(one.repository), deprecated: short(one.deprecated), dist_tags: one['dist-tags'] || {},
    published: one.time && one.version ? one.time[one.version] ?? null : null, engines: one.engines || {}, dependencies: one.dependencies || {},
    peer_dependencies: one.peerDependencies || {}, unpacked_size: one.dist ? one.dist.unpackedSize ?? null : null, versions: versions.length, latest_versions: versions.slice(-20),
  }
}

function found(answer, limit) {
  const packages = [].concat(answer).filter((p) => p && typeof p.name === 'string')
    .map((p) => ({ name: p.name, version: p.version ?? null, description: short(p.description), date: p.date ?? null }))
  return { count: packages.length, packages: packages.slice(0, limit) }
}

const grave = ['critical', 'high', 'moderate', 'low', 'info']

function audit(answer, limit) {
  const rank = (item) => (grave.includes(item.severity) ? grave.indexOf(item.severity) : grave.length)
  const vulnerable = Object.values(answer.vulnerabilities || {}).sort((a, b) => rank(a) - rank(b)).map((v) => ({
    name: v.name, severity: v.severity, range: v.range, direct: v.isDirect === true, fix: fix(v.fixAvailable),
    advisories: (v.via || []).filter((a) => typeof a === 'object').map((a) => ({ title: short(a.title), url: a.url ?? null, severity: a.severity ?? null, range: a.range ?? null })),
    through: (v.via || []).filter((a) => typeof a === 'string'),
  }))
  const counts = (answer.metadata && answer.metadata.vulnerabilities) || {}
  const [shown, truncated] = listed(vulnerable, limit)
  return { clean: vulnerable.length === 0, counts: Object.fromEntries([...grave, 'total'].map((k) => [k, counts[k] || 0])), vulnerabilities: shown, truncated }
}

function fix(available) {
  if (available && typeof available === 'object') return { available: true, package: available.name, version: available.version, breaking: available.isSemVerMajor === true }
  return { available: available === true }
}

// reasons lists, for every installed copy, the chains from the project to it.
function reasons(answer, limit, root) {
  let left = limit
  let truncated = false
  const label = (node) => (node.version ? `${node.name}@${node.version}` : node.name)
  const chains = (node, below, spec) => {
    const out = []
    for (const edge of node.dependents || []) {
      if (left <= 0) { truncated = true; break }
      const from = edge.from || {}
      const first = spec ?? edge.spec
      if (below.includes(label(from)) || (from.dependents || []).length === 0) {
        left--
        out.push({ chain: [from.name ? label(from) : root || '.', ...below], type: edge.type, spec: first })
      } else {
        out.push(...chains(from, [label(from), ...below], first))
      }
    }
    return out
  }
  const copies = [].concat(answer).map((node) => ({ name: node.name, version: node.version ?? null, location: local(node.location), dev: node.dev === true, because: chains(node, [label(node)]) }))
  return { copies, truncated }
}

function contents(answer, limit) {
  const one = Array.isArray(answer) ? answer[0] : Object.values(answer)[0]
  if (!one || !Array.isArray(one.files)) throw new Complaint('npm did not say what the package would contain')
  const [files, truncated] = listed(one.files.map((f) => ({ path: f.path, size: f.size })), limit)
  return { name: one.name, version: one.version, filename: one.filename, size: one.size, unpacked_size: one.unpackedSize, count: one.files.length, files, truncated }
}

module.exports = { tree, outdated, view, found, audit, reasons, contents }
