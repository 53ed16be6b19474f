package hcp

// Stage is a step of a pack's lifecycle as availability reports it (§11.2).
type Stage string

// The stages.
const (
	StageAvailable   Stage = "available"
	StageInstalled   Stage = "installed"
	StageActivated   Stage = "activated"
	StageConnected   Stage = "connected"
	StageExecutable  Stage = "executable"
	StageUnavailable Stage = "unavailable"
)

// Availability is the report about one pack (§11.2).
type Availability struct {
	PackID        string             `json:"pack_id"`
	Status        []Stage            `json:"status"`
	Installed     bool               `json:"installed"`
	Activated     bool               `json:"activated"`
	Connected     bool               `json:"connected"`
	AdapterKind   Kind               `json:"adapter_kind,omitempty"`
	BindingMode   BindingMode        `json:"binding_mode,omitempty"`
	SkillPresent  bool               `json:"skill_present"`
	ConnectNeeded bool               `json:"connect_needed"`
	Ready         bool               `json:"ready"`
	Reason        string             `json:"reason,omitempty"`
	Verbs         []CommandStatus    `json:"verbs"`
	Capabilities  []CapabilityStatus `json:"capabilities"`
}

// CommandStatus says whether one command may run now, and why not.
type CommandStatus struct {
	VerbKey    string    `json:"verb_key"`
	Operation  Operation `json:"operation"`
	Land       Land      `json:"land"`
	Confirm    Confirm   `json:"confirm,omitzero"`
	Executable bool      `json:"executable"`
	Reason     string    `json:"reason,omitempty"`
}

// CapabilityStatus says whether the Principal holds a capability for the pack.
type CapabilityStatus struct {
	Capability Capability `json:"capability"`
	Granted    bool       `json:"granted"`
}

// LintKind names what a lint issue is about.
type LintKind string

// The lint kinds of the Errors page.
const (
	LintMissingSurface  LintKind = "missing_surface"
	LintMissingHarness  LintKind = "missing_harness"
	LintMissingPolicy   LintKind = "missing_policy"
	LintInvalidPolicy   LintKind = "invalid_policy"
	LintMissingVerb     LintKind = "missing_verb"
	LintExtraVerb       LintKind = "extra_verb"
	LintMissingStimulus LintKind = "missing_stimulus"
	LintExtraStimulus   LintKind = "extra_stimulus"
	LintWriteStimulus   LintKind = "write_stimulus"
	LintInvalidMeta     LintKind = "invalid_meta"
	LintBinding         LintKind = "binding"
	LintWrap            LintKind = "wrap"
	LintSkill           LintKind = "skill"
)

// LintIssue is one reason why a pack cannot be installed.
type LintIssue struct {
	Kind    LintKind `json:"kind"`
	Key     string   `json:"key"`
	Message string   `json:"message"`
}
