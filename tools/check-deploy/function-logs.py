"""Prints the last lines that the functions logged as warnings or errors. Where the emulator is, and with whose key, is in the environment."""

import botocore.session

logs = botocore.session.get_session().create_client("logs")
for group in logs.describe_log_groups()["logGroups"]:
    name = group["logGroupName"]
    lines = [event["message"].rstrip() for event in logs.filter_log_events(logGroupName=name)["events"]]
    wrong = [line for line in lines if any(word in line for word in ('"WARN"', '"ERROR"', "Error", "Task timed out"))]
    for line in wrong[-10:]:
        print(f"{name.rsplit('/', 1)[-1]}: {line[:1500]}")
