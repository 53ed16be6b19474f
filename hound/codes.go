package hound

// The stable codes of failures, which stand beside the error's text.
const (
	CodeBadManifest   = "bad_manifest"
	CodeBadOwner      = "bad_owner" // owner.repo is not the root of a repository
	CodeBadOperation  = "bad_operation"
	CodeBadInput      = "bad_input"
	CodeBadResponse   = "bad_response"
	CodeBadEnv        = "bad_environment"
	CodeBadPlan       = "bad_plan"
	CodeBadEffects    = "bad_effects"
	CodeBadApproval   = "bad_approval"
	CodeHeld          = "approval_needed"
	CodeDrift         = "drift"
	CodeMutation      = "mutation" // a call that must not change anything did
	CodeCredential    = "credential_in_output"
	CodeTooMuch       = "output_too_large"
	CodeTimeout       = "driver_timeout"
	CodeDriver        = "driver_failed"
	CodeDriverMissing = "driver_missing"
	CodeRunExists     = "run_exists"
	CodeRunFailed     = "run_failed"
	CodeInvalid       = "invalid_record"
	CodeUnreadable    = "unreadable_record"
	CodeExists        = "output_exists"
	CodeHumanOnly     = "human_only"
)
