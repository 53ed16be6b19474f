// Package source turns the argument of an installation into a folder that can
// be installed (the install section of the CLI reference, the npm section of
// the sharing page):
//
//	./dir                              a folder
//	./pack.tar.gz .tgz .tar .zip       an archive
//	https://host/pack.tar.gz           an archive on the web
//	github:owner/repo[@ref][//path]    a repository, or a folder of it
//	https://github.com/owner/repo      the same; also …/tree/<ref>/<path>
//	npm:@scope/name[@version]          a published package
//	npm:./dir                          a package's folder or .tgz
//
// Invariants:
//
//   - Nothing that was fetched is run: npm packs without scripts, git has no
//     hooks, filters or submodules.
//   - What an archive says is not trusted: names stay inside, links are made
//     last and stay inside by their text, no special files, no set-id files, no
//     name twice or twice but for case, and bounds on the number, the size, the
//     depth and the ratio of what it unpacks to. The store judges the folder
//     again by its own rules.
//   - A token for GitHub goes to GitHub's API and nowhere else; a redirect
//     loses it.
//   - What cannot be fetched fails. Only the gold packs' own published names
//     may be answered by the copy that comes with the program, with a note that
//     says so, and not when a version is asked for or the caller forbids it.
package source
