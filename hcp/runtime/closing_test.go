package hcpruntime

import (
	"context"
	"os"
	"testing"

	"bridle/hcp"
)

func TestNothingRunsInAClosedRuntime(t *testing.T) {
	ctx := t.Context()
	for _, o := range []Options{{}, {NoSandbox: true, NativeLocal: true}} {
		o.PackDirs = gold("transit")
		r := open(t, o)
		if err := r.Activate(ctx, "transit"); err != nil {
			t.Fatal(err)
		}
		run := r.StartRun(ctx)
		for range 2 {
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		for name, got := range map[string]hcp.ExecResult{
			"Exec":         r.Exec(ctx, "transit", "status", nil),
			"ExecApproved": r.ExecApproved(ctx, "transit", "status", nil, hcp.HostApproval{}),
			"ExecJSON":     r.ExecJSON(ctx, []byte(`{"pack_id":"transit","verb_key":"status"}`)),
			"Run":          run.Exec("transit", "status", nil),
		} {
			if got.OK || got.Code != CodeClosed || got.PackID != "transit" || got.VerbKey != "status" || got.Hint == "" {
				t.Errorf("%s: %+v", name, got)
			}
		}
		wantCode(t, r.Connect(ctx, "transit"), CodeClosed, "the runtime is closed")
	}
}

// A call that runs keeps the folders it works in, also when a command of the
// runtime closes it.
func TestClosingLetsTheLastCallEnd(t *testing.T) {
	ctx := t.Context()
	var r *Runtime
	var dir string
	r = open(t, Options{PackDirs: gold("echo", "transit"), Handlers: map[string]map[string]Handler{"echo": {
		"echo.ping": func(ctx context.Context, c HandlerCall) (any, error) {
			if err := r.Close(); err != nil {
				return nil, err
			}
			if _, err := os.Stat(dir); err != nil {
				return nil, err
			}
			return r.Exec(ctx, "transit", "status", nil).Code, nil
		},
	}}})
	dir = r.engine.(*local).jails.dir
	if err := r.Activate(ctx, "echo", "transit"); err != nil {
		t.Fatal(err)
	}
	if got := r.Exec(ctx, "echo", "echo.ping", nil); string(got.Result) != `"runtime_closed"` {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there", dir)
	}
}
