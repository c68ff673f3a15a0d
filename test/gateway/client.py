"""Calls a server, or a gateway in front of some, with the client of Python's own library. It prints what came, as JSON."""

import datetime
import json
import sys
import xmlrpc.client


def plain(value):
    if isinstance(value, xmlrpc.client.DateTime):
        return {"date": value.value}
    if isinstance(value, xmlrpc.client.Binary):
        return {"bytes": value.data.hex()}
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value


def called(server, method, params):
    try:
        return {"value": plain(getattr(server, method)(*params))}
    except xmlrpc.client.Fault as fault:
        return {"fault": [fault.faultCode, fault.faultString]}


def by_hub(url, systems):
    """Scripts of the hub, in each of its modes."""
    answers = []
    with xmlrpc.client.ServerProxy(url + "/hub/rpc/api", allow_none=True) as client:
        answers.append(called(client, "hub.login", ["admin", "wrong"]))
        for mode in ["login", "loginWithAuthRelayMode", "loginWithAutoconnectMode"]:
            key = getattr(client.hub, mode)("admin", "secret")
            if mode == "loginWithAutoconnectMode":
                answers.append(len(key["Successful"]["ServerIds"]))
                key = key["SessionKey"]
            servers = client.hub.listServerIds(key)
            if mode == "login":
                logins = ["admin" for _ in servers]
                client.hub.attachToServers(key, servers, logins, ["secret" for _ in servers])
            if mode == "loginWithAuthRelayMode":
                client.hub.attachToServers(key, servers)
            lists = client.multicast.system.listSystems(key, servers)
            answers.append([mode, servers, plain(lists["Successful"]), lists["Failed"]])
            date = datetime.datetime(2031, 5, 1, 12, 0)
            dates = [date for _ in servers]
            answers.append(plain(client.multicast.system.scheduleReboot(key, servers, systems, dates)))
            answers.append(plain(client.unicast.system.getDetails(key, servers[-1], systems[-1])))
            answers.append(called(client, "unicast.system.getDetails", [key, servers[0], systems[-1]]))
            answers.append(called(client, "hub.logout" if mode == "login" else "auth.logout", [key]))
    return answers


def main():
    url, systems = sys.argv[1], json.loads(sys.argv[2])
    if sys.argv[3:] == ["hub"]:
        json.dump(by_hub(url, systems), sys.stdout, ensure_ascii=False)
        return
    with xmlrpc.client.ServerProxy(url + "/rpc/api", allow_none=True) as server:
        answers = [called(server, "api.getVersion", [])]
        answers.append(called(server, "auth.login", ["admin", "wrong"]))
        key = server.auth.login("admin", "secret")
        date = datetime.datetime(2031, 5, 1, 12, 0)
        for method, params in [
            ("system.listSystems", []),
            ("system.list_systems", []),
            ("system.getDetails", [systems[0]]),
            ("system.getDetails", [77]),
            ("system.getId", ["s"]),
            ("system.scheduleReboot", [systems[-1], date]),
            ("system.scheduleApplyHighstate", [systems[:1], date, False]),
            ("system.listActiveSystemsDetails", [systems]),
            ("system.deleteSystems", [systems]),
            ("systemgroup.listAllGroups", []),
            ("user.getDetails", ["grace & ada"]),
            ("user.getDetails", ["Ünïcödé ☃"]),
        ]:
            answers.append([method, called(server, method, [key + "\n", *params])])
        number = server.system.scheduleApplyHighstate(key, systems, date, False)
        for method, params in [("schedule.listInProgressSystems", [number]), ("schedule.cancelActions", [[number]])]:
            answers.append([method, called(server, method, [key, *params])])
        answers.append(called(server, "auth.logout", [key]))
        answers.append(called(server, "system.listSystems", [key]).keys().__contains__("fault"))
    json.dump(answers, sys.stdout, ensure_ascii=False)


main()
