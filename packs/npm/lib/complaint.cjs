'use strict'
// A Complaint is a failure that the caller reads: one sentence, one line, no
// credential of an address in it.
class Complaint extends Error {
  constructor(text) {
    super(text.replace(/:\/\/[^/@\s"]*@/g, '://').replace(/\s+/g, ' ').trim().slice(0, 500))
  }
}

const unreachable = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'ETIMEDOUT', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'FETCH_ERROR', 'ERR_SOCKET_TIMEOUT']

// explain words what npm reports in the "error" member of its JSON.
function explain(error, subject) {
  const { code = '', summary = '' } = error
  if (unreachable.includes(code)) return new Complaint(`the registry cannot be reached (${code}); this command needs the network`)
  if (code === 'E404' && summary.includes('/-/v1/search')) return new Complaint('the registry of this project answers no searches')
  if (code === 'E404') return new Complaint(`the registry has no "${subject}"`)
  if (code === 'ETARGET') return new Complaint(`the registry has no version that matches "${subject}"`)
  if (code === 'E401' || code === 'E403') return new Complaint(`the registry refuses "${subject}" without a login (${code})`)
  if (code === 'ENOLOCK') return new Complaint('there is no lockfile to audit; npm install --package-lock-only makes one')
  if (code === 'EJSONPARSE') return new Complaint('package.json is no valid JSON')
  if (code === 'ENOPKG' || (code === 'ENOENT' && /package\.json/.test(summary))) return new Complaint('there is no package.json in this directory')
  return new Complaint((summary.split('\n')[0] || `npm failed with ${code || 'no reason'}`).replace(/^\w*Error: /, ''))
}

module.exports = { Complaint, explain }
