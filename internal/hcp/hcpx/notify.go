package hcpx

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"bridle/internal/hcp/approval"
	"bridle/internal/hcp/card"
	"bridle/internal/kernel/cli"
	"bridle/internal/kernel/proc"
)

// notifyProgram shows a notice on the desktops of Linux.
const notifyProgram = "notify-send"

// sessionVariables are how the program finds the desktop.
var sessionVariables = [...]string{"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME"}

// notifier returns what tells the desktop about a request, where there is a
// desktop to tell. A notice says that something waits and answers nothing; one
// that cannot be shown is no failure.
func notifier(c *cli.Call) func(ctx context.Context, r *approval.Record) {
	none := func(context.Context, *approval.Record) {}
	if c.Env.Get("DISPLAY") == "" && c.Env.Get("WAYLAND_DISPLAY") == "" {
		return none
	}
	program := onPath(c.Env.Get("PATH"), notifyProgram)
	if program == "" {
		return none
	}
	var env []string
	for _, name := range sessionVariables {
		if value, set := c.Env.Lookup(name); set {
			env = append(env, name+"="+value)
		}
	}
	return func(ctx context.Context, r *approval.Record) {
		words := notice(r)
		go func() { // the list goes on meanwhile
			_, _ = proc.Run(ctx, proc.Spec{Path: program, Args: words, Env: env, Dir: "/", Timeout: 3 * time.Second})
		}()
	}
}

// onPath finds a program in the absolute folders of a search path. Others mean
// something else in each working directory.
func onPath(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return file
		}
	}
	return ""
}

// notice are the words of a notification. Desktops keep notices and show them on
// locked screens, so it names the command and none of its values.
func notice(r *approval.Record) []string {
	return []string{"--app-name=" + Name, "--urgency=normal", "--", "A command waits for your answer", plainMarkup(card.Show(r.Request.PackID + " " + r.Request.Command))}
}

// plainMarkup keeps a desktop from reading a text as markup.
func plainMarkup(text string) string {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		switch r {
		case '<', '>', '&':
			r = ' '
		}
		out = append(out, r)
	}
	return string(out)
}
