// Package advice says what helps with a failure of which nothing more is known
// than its code. Whoever makes a fault knows more and gives its own hint; this is
// for those that have none, so that no refusal reaches a caller without a word
// on what to do (§6.2, §12.1).
//
// Every code that some fault is made with and that gets no hint of its own has
// an entry here; a test reads the code of the program for that.
package advice

// For returns what helps with a failure of this code. A code that is not listed
// gets what always helps.
func For(code string) string {
	switch code {
	case "read_only", "not_permitted", "cannot_write", "cannot_edit":
		return "make the place writable for you, or choose another one; nothing was changed there"
	case "not_found", "bad_home":
		return "check the path; what it names has to exist"
	case "exists", "cross_device", "bad_target":
		return "move away what is there, or choose another place"
	case "locked":
		return "wait until the other command has ended, then run this one again"
	case "io_failed", "store_io", "output":
		return "the system could not read or write; check the disk and the number of open files, then run the command again"
	case "too_many_open_files":
		return "close programs or raise the limit with ulimit -n, then run the command again; nothing is wrong with the pack"
	case "internal", "handler_panicked":
		return "this is a defect of the program, not of the call; report it with the command line and this message"
	case "usage", "unknown_vector", "unknown_host", "unknown_command", "unknown_argument", "bad_argument":
		return "the help of the command lists what it takes: add --help"
	case "bad_source", "fetch_failed", "bad_catalog_answer", "bad_archive", "download_too_large":
		return "check the name and that it can be reached, or fetch it yourself and install from the folder"
	case "no_pack", "bad_pack", "unsafe_pack", "bad_schema", "bad_evals":
		return "hcpx lint, with the folder of the pack, names everything that is wrong with it; its author corrects it"
	case "unknown_pack", "not_installed":
		return "hcpx list names what is installed"
	case "pack_changed":
		return "a person looks at the change and accepts it by activating the pack again"
	case "command_failed":
		return "the program of the pack reported this itself; change the call accordingly, or tell the user"
	case "bin_not_allowlisted":
		return "nothing else is run in its place; activate the pack again once its program is installed"
	case "timeout":
		return "it did not end in time; it may have done part of its work"
	case "canceled", "interrupted":
		return "it was ended on request; run it again if it is still wanted"
	case "bad_output":
		return "the reference, the offset and the limit are those of an answer's read_more"
	case "bad_settings", "bad_mode":
		return "correct access.json, or have it written by hcpx mode and hcpx allow"
	case "bad_file":
		return "name a file inside the workspace or project"
	case "human_only":
		return "a person does this, in a terminal of their own"
	case "connect_failed", "not_connected":
		return "tell the user; only they can give the credential"
	case "settings_changed", "git_config_changed":
		return "look at the files that are named before an agent or git works there again"
	case "journal_broken", "unsafe_journal", "bad_key", "bad_event":
		return "keep the files as they are and look into it: hcpx audit verify"
	}
	return "stop and tell the user; hcpx doctor shows what of this machine is not in order"
}
